"""Right programs of kinds that are met in real training code: nothing is said of them."""

from __future__ import annotations

from textwrap import dedent

import pytest

from torchwise.engine import Engine

PATH = "/project/code.py"

PROGRAMS = {
    "sizes that a helper names are those of each call": """
        from elsewhere import Convolution

        class Net(nn.Module):
            def __init__(self, hidden, out):
                super().__init__()
                self.one, self.two = Convolution(hidden), Convolution(out)
                self.head = nn.Linear(hidden + out, out)

            def flat(self, x):
                batch, nodes, channels = x.size()
                return x.view(batch * nodes, channels).view(batch, nodes, channels)

            def forward(self, x):
                return self.head(torch.cat([self.flat(self.one(x)), self.flat(self.two(x))], dim=-1))

        Net(64, 38)(torch.randn(2, 3, 4))
        """,
    "a sum of two losses is made anew each turn": """
        def train(net, loader, optimizer):
            for real, fake in loader:
                optimizer.zero_grad()
                of_real, of_fake = net(real).mean(), net(fake).mean()
                of_real.backward()
                of_fake.backward()
                optimizer.step()
                both = of_real + of_fake
                print(both.item(), (of_real + of_fake).item())
        """,
    "a loss of something unknown gives gradients to all": """
        from elsewhere import rollout

        net = nn.Linear(3, 1)
        optimizer = torch.optim.Adam(net.parameters())
        for _ in range(100):
            gain = rollout(net)["reward"].mean()
            (-gain).backward()
            nn.utils.clip_grad_norm_(net.parameters(), 1.0)
            optimizer.step()
            optimizer.zero_grad()
        """,
    "what goes into a tensor with out= has the dtype of that tensor": """
        frequencies = torch.empty(4)
        torch.arange(1, 5, out=frequencies).mul_(3.14)
        """,
    "an array of rows has two axes": """
        import numpy as np

        def pairs(left, right):
            rows = np.array(list(zip(left.tolist(), right.tolist())))
            return torch.Tensor(rows).long()[:, 1]
        """,
    "a mask that is filled with minus infinity is one no more": """
        def attend(q, k, v):
            mask = torch.ones(4, 4).triu(diagonal=1)
            mask.masked_fill_(mask.bool(), float("-inf"))
            return F.scaled_dot_product_attention(q, k, v, attn_mask=mask)
        """,
    "one test answers another": """
        from torch.nn.parallel import DistributedDataParallel

        class Scorer(nn.Module):
            def __init__(self):
                super().__init__()
                self.head = nn.Linear(3, 2)

            def scores(self, x):
                return self.head(x)

        def run(gpus, x):
            net = Scorer()
            if gpus > 1:
                net = DistributedDataParallel(net)
            plain = net if gpus == 1 else net.module
            return plain.scores(x)
        """,
    "a batch that was asked for has that length": """
        def normed(x):
            batch, channels, _, _ = x.shape
            if batch != 1:
                raise ValueError("one at a time")
            return x.view(channels, -1).mean(dim=1)
        """,
    "a distribution of unknown scores may have a graph": """
        from elsewhere import policy
        from torch.distributions import Categorical

        def step(states, actions):
            loss = -Categorical(logits=policy(states)).log_prob(actions).mean()
            loss.backward()
        """,
    "groups of an optimizer walk through parameters once": """
        net = nn.Linear(2, 2)
        optimizer = torch.optim.Adam([dict(params=net.parameters(), weight_decay=0.1)], lr=0.1)
        """,
    "layers with optimizers of their own need no registration": """
        class Layer(nn.Linear):
            def __init__(self):
                super().__init__(4, 4)
                self.optimizer = torch.optim.Adam(self.parameters())

        class Net(nn.Module):
            def __init__(self):
                super().__init__()
                self.layers = [Layer(), Layer()]
        """,
}


@pytest.mark.parametrize("kind", PROGRAMS)
def test_a_right_program_is_left_alone(kind: str) -> None:
    engine = Engine()
    head = "import torch\nimport torch.nn.functional as F\nfrom torch import nn\n"
    engine.set_text(PATH, head + dedent(PROGRAMS[kind]))
    found = [f for f in engine.findings(PATH) if f.severity != "hint"]
    assert engine.crashes == []
    assert found == []
