"""Right programs of kinds that are met in real training code: nothing is said of them."""

from __future__ import annotations

from textwrap import dedent

import pytest

from torchwise.engine import Engine

PATH = "/project/code.py"

PROGRAMS = {
    "states that are made anew for each batch": """
        class Attention(nn.Module):
            def __init__(self):
                super().__init__()
                self.query = nn.Linear(4, 4)

            def begin(self, inputs):
                batch, time = inputs.size(0), inputs.size(1)
                self.summed = torch.zeros([batch, time], device=inputs.device)

            def forward(self, inputs):
                weights = self.query(inputs).mean(-1)
                self.summed = self.summed + weights
                return self.summed

        class Decoder(nn.Module):
            def __init__(self):
                super().__init__()
                self.attention = Attention()

            def forward(self, inputs):
                self.attention.begin(inputs)
                return [self.attention(inputs) for _ in range(3)]

        Decoder()(torch.zeros(2, 5, 4))
        """,
    "a rate of dropout that is a property, and asks for the mode": """
        class Attention(nn.Module):
            def __init__(self, rate=0.2):
                super().__init__()
                self.rate = rate

            @property
            def now(self):
                return self.rate if self.training else 0.0

            def forward(self, q, k, v):
                return F.scaled_dot_product_attention(q, k, v, dropout_p=self.now)

        Attention(0.2)(*[torch.zeros(1, 2, 3, 4)] * 3)
        """,
    "a module that moves more than its own": """
        class Pair(nn.Module):
            def __init__(self, student, teacher):
                super().__init__()
                self.student, self.held = student, (teacher,)

            def _apply(self, move, recurse=True):
                self.held[0]._apply(move)
                return super()._apply(move, recurse)

            def forward(self, x):
                return self.student(x) - self.held[0](x)

        pair = Pair(nn.Linear(3, 2), nn.Linear(3, 2)).double()
        pair(torch.zeros(4, 3, dtype=torch.float64))
        """,
    "gradients that a function clears which a registry calls": """
        from collections import defaultdict

        class Engine:
            def __init__(self, step):
                self.step, self.handlers = step, defaultdict(list)

            def on(self, event):
                def register(handler):
                    self.handlers[event].append(handler)
                    return handler
                return register

            def run(self, batches):
                for batch in batches:
                    self.step(batch)
                    for handler in self.handlers["done"]:
                        handler()

        def main(batches):
            net = nn.Linear(3, 1)
            optimizer = torch.optim.SGD(net.parameters(), lr=0.1)

            def step(batch):
                net(batch).mean().backward()
                optimizer.step()

            engine = Engine(step)

            @engine.on("done")
            def clear():
                for p in net.parameters():
                    p.grad = None

            engine.run(batches)

        main(torch.ones(4, 2, 3))
        """,
    "what a module is moved to may be a dtype": """
        def served(kind):
            layer = nn.Linear(3, 3).to(kind)
            return layer(torch.zeros(2, 3, dtype=torch.float64))

        served(getattr(torch, input()))
        """,
    "a metaclass that calls the base's `__init__` itself": """
        class Ready(type):
            def __call__(cls, *args):
                made = cls.__new__(cls)
                nn.Module.__init__(made)
                made.__init__(*args)
                return made

        class Base(nn.Module, metaclass=Ready):
            def __init__(self):
                pass

        class Pool(Base):
            def __init__(self, size):
                self.pool = nn.AdaptiveAvgPool2d(size)
        """,
    "an `__init__` under a decorator that nobody knows": """
        from elsewhere import delegates

        class ConvLayer(nn.Sequential):
            @delegates(nn.Conv2d)
            def __init__(self, n_in, n_out, **more):
                super().__init__(nn.Conv2d(n_in, n_out, 3, **more))

        layer = ConvLayer(3, 4, bias=False)
        """,
    "layers that are made once, when the first batch tells their size": """
        class Head(nn.Module):
            def __init__(self, hidden):
                super().__init__()
                self.hidden, self.final = hidden, None

            def forward(self, x):
                if self.final is None:
                    self.final = nn.Sequential(nn.Flatten(), nn.Linear(x.shape[1], self.hidden), nn.ReLU())
                return self.final(x)
        """,
    "draws that are not put back are distinct": """
        def mask(features):
            chosen = torch.zeros(features).byte()
            weights = torch.ones(features)
            chosen[torch.multinomial(weights, 3, replacement=False)] += 1
            return chosen
        """,
    "containers that are empty when they are made are filled later": """
        class Gate(nn.Module):
            def __init__(self):
                super().__init__()
                self.experts, self.layers = nn.ModuleDict(), nn.ModuleList()
                self.seen, self.names = [], {}

            def add(self, key):
                self.experts[str(key)] = nn.Linear(2, 2)
                self.layers.append(nn.Linear(2, 2))
                self.seen.append(key)
                self.names[key] = 1

            def best(self):
                sizes = len(self.experts), len(self.layers), len(self.seen), len(self.names)
                return [torch.rand(size).argmax() for size in sizes], torch.rand(len(self.seen)).argmax()
        """,
    "a table that `__init__` builds in a helper": """
        class Table(nn.Module):
            def __init__(self, size, plain: bool):
                super().__init__()
                self.size = size
                self.table = torch.empty(0)
                if plain:
                    self.build()

            def build(self):
                self.table = torch.rand(self.size, 2) * 2 - 1
                self.table *= 0.1
                self.table = nn.Parameter(self.table)

            def forward(self, places):
                return self.table[places]
        """,
    "what has methods like a tensor's, and takes names": """
        def drop(data):
            data.contiguous(canonical=True, inplace=True)
            return data.select("a", "b").sum(dim="feature", reduce=True)
        """,
    "a named tuple is a tuple": """
        def reduced(values: torch.Tensor, how: str, dim=None):
            result = values.max(dim=dim) if how == "max" else values.sum(dim=dim)
            if isinstance(result, tuple):
                result = result[0]
            return result.item() if dim is None else result
        """,
    "recomputing only what requires grad": """
        from torch.utils.checkpoint import checkpoint

        def pyramid(blocks, images, save_memory: bool):
            outs = [images, images * 2]
            for i in range(2):
                if outs[i].requires_grad and save_memory:
                    outs[i] = checkpoint(blocks[i], outs[i])
            return outs
        """,
    "a function of the first process meets the others' collective": """
        import torch.distributed as dist
        from elsewhere import search

        def tuned(trainer, trials):
            if dist.get_rank() == 0:
                def once(trial):
                    told = [trial]
                    dist.broadcast_object_list(told, src=0)
                    return trainer.train(told[0])
                return search(once, trials)
            for _ in range(trials):
                told = [None]
                dist.broadcast_object_list(told, src=0)
                trainer.train(told[0])
        """,
    "what an old version needs stands behind its test": """
        from packaging.version import parse

        version = parse(torch.__version__)
        if version >= parse("1.10"):
            values, vectors = torch.linalg.eigh(torch.eye(3))
        else:
            values, vectors = torch.symeig(torch.eye(3), eigenvectors=True)
        """,
    "a parameter that is where it should be stays the parameter": """
        class Centres(nn.Module):
            def __init__(self):
                super().__init__()
                self.at = nn.Parameter(torch.linspace(0, 1, 5), requires_grad=False)

            def reset(self):
                device = self.at.device
                self.at = nn.Parameter(self.at.clone().detach().float(), requires_grad=False).to(device)

        Centres().reset()
        """,
    "what is no tensor goes another way": """
        def pack(parts):
            return torch.cat([part.flatten() for part in parts])

        def integrate(field, x, step):
            if torch.is_tensor(x):
                start, slope = x, field
            else:
                start, slope = pack(x), lambda y: pack(field(y))
            return start + torch.as_tensor(step) * slope(start)

        def augmented(x):
            return x[:3], x[3:]

        integrate(augmented, (torch.ones(3), torch.ones(1)), torch.tensor(0.1))
        """,
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
    "a loss that is unknown in part gives gradients to all": """
        from elsewhere import distances

        net = nn.Linear(3, 1)
        optimizer = torch.optim.Adam(net.parameters())
        loss = (torch.ones(3) * distances(net(torch.ones(2, 3)))).sum()
        optimizer.zero_grad()
        loss.backward()
        nn.utils.clip_grad_norm_(net.parameters(), 1.0)
        optimizer.step()
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
    "a program that tries out a network is no evaluation": """
        import torch
        from torch import nn

        def test():
            net = nn.Linear(3, 2)
            out = net(torch.randn(4, 3))  # whether it runs at all
            print(out.shape)

        test()
        """,
    "a TestCase tests code": """
        import unittest

        import torch
        from torch import nn

        class Exporting(unittest.TestCase):
            def test_export(self):
                model = nn.Linear(3, 2).eval()
                for rows in (1, 2):
                    self.export(model, model(self.pictures(rows)))  # code that is tested
        """,
    "a trainer turns gradients off for its validation steps": """
        from lightning.pytorch import LightningModule
        from torch import nn

        class Scores(LightningModule):
            def __init__(self):
                super().__init__()
                self.layer = nn.Linear(3, 2)

            def validation_step(self, batch, index):
                self.log("loss", self.layer(batch).sum())  # the trainer turned gradients off
        """,
    "one process saves, by its gpu_id": """
        import torch
        import torch.distributed as dist

        class Trainer:
            def __init__(self, net, gpu_id):
                self.net, self.gpu_id = net, gpu_id

            def keep(self):
                torch.save(self.net.state_dict(), "last.pt")

            def train(self):
                if self.gpu_id == 0:
                    self.keep()

        def worker(rank, net):
            dist.init_process_group("gloo")
            Trainer(net, rank).train()
        """,
    "work that is shared out by what is there is saved once": """
        import os

        import torch
        import torch.distributed as dist

        def encode(pictures, net):
            dist.init_process_group("gloo")
            for name in pictures:
                path = f"{name}.pt"
                if os.path.exists(path):
                    continue
                torch.save(net(name), path)  # the work is shared out by what is there
        """,
    "empty tensors are filled later": """
        class Cached(nn.Module):
            def __init__(self):
                super().__init__()
                self.cache = (torch.tensor([]), torch.tensor([]))

            def forward(self, x):
                return x + self.cache[0].transpose(-1, -2)
        """,
    "a sharded model lies where its mesh is": """
        from torch.distributed.fsdp import fully_shard

        def train(mesh):
            net = nn.Linear(8, 8)
            fully_shard(net, mesh=mesh)
            return net(torch.randn(8, 8, device="cuda"))
        """,
    "whoever makes a module may move it": """
        device = torch.device("cuda" if torch.cuda.is_available() else "cpu")

        class Decoder(nn.Module):
            def __init__(self):
                super().__init__()
                self.embedding = nn.Embedding(9, 4)

            def forward(self, states):
                start = torch.empty(states.size(0), 1, dtype=torch.long, device=device).fill_(1)
                return self.embedding(start)
        """,
    "a dataset that is not written yet is no broken one": """
        class Rows(torch.utils.data.Dataset):
            def __getitem__(self, index):
                # read one row
                pass

            def __len__(self):
                return 0

        loader = torch.utils.data.DataLoader(Rows(), batch_size=64)
        """,
    "another class computes other attributes": """
        class Halved(nn.Linear):
            @property
            def weight(self):
                return self._parameters["weight"].bfloat16()

        net = nn.Linear(8, 8, bias=False)
        net.__class__ = Halved
        out = net(torch.randn(2, 8, dtype=torch.bfloat16))
        """,
    "a backward of a graph that is not known": """
        def train(config, criterion, batches):
            model = nn.parallel.DistributedDataParallel(config["model"])
            optimizer = config["optimizer"](model.parameters())
            for batch in batches:
                optimizer.zero_grad()
                criterion(model(batch)).backward()
                nn.utils.clip_grad_norm_(model.parameters(), 1.0)
                optimizer.step()
        """,
    "unknown code has the module": """
        from elsewhere import engine

        def train(batches):
            model = nn.Linear(3, 4)
            step = engine(model)
            for x, y in batches:
                model.zero_grad()
                F.cross_entropy(step(x), y).backward()
                nn.utils.clip_grad_norm_(model.parameters(), 1.0)
        """,
    "unknown code calls a function that has the module": """
        from elsewhere import run

        def train(batches):
            model = nn.Linear(3, 4)
            for x, y in batches:
                model.zero_grad()
                run(lambda: F.cross_entropy(model(x), y))
                nn.utils.clip_grad_norm_(model.parameters(), 1.0)
        """,
    "a class keeps attributes in its own way": """
        import typing

        class Start(typing.NamedTuple):
            value: torch.Tensor
            positive: bool

        class Kernel(nn.Module):
            def __setattr__(self, name, value):
                super().__setattr__(name, nn.Parameter(value.value) if isinstance(value, Start) else value)

        class Scaled(Kernel):
            def __init__(self):
                super().__init__()
                self.variance = Start(torch.ones(3), True)

            def forward(self, x):
                return self.variance * x
        """,
    "what an export never reaches": """
        class Limited(nn.Module):
            def forward(self, x):
                if torch.compiler.is_exporting():
                    return torch.cond(x.abs().amax() > 1, torch.tanh, torch.clone, (x,))
                return torch.tanh(x) if x.abs().amax() > 1 else x.clone()

        exported = torch.export.export(Limited(), (torch.ones(2),))
        """,
    "weights of a copy that follow those of the original": """
        class Pair(nn.Module):
            def __init__(self, base):
                super().__init__()
                self.query, self.key = base, copy.deepcopy(base).requires_grad_(False)

            @torch.no_grad()
            def follow(self):
                for live, slow in zip(self.query.parameters(), self.key.parameters()):
                    slow.lerp_(live, 0.01)

            def forward(self, x):
                self.follow()
                with torch.no_grad():
                    key = self.key(x)
                return F.mse_loss(self.query(x), key)

        model = Pair(nn.Sequential(nn.Linear(4, 4, bias=False), nn.BatchNorm1d(4)))
        optimizer = torch.optim.SGD(model.query.parameters(), lr=0.1)
        for _ in range(3):
            optimizer.zero_grad()
            model(torch.randn(8, 4)).backward()
            optimizer.step()
        """,
    "parameters of which a weight is computed": """
        model = nn.ModuleDict({"score": nn.utils.parametrizations.weight_norm(nn.Linear(4, 2, bias=False))})
        slow = copy.deepcopy(model)
        with torch.no_grad():
            for name, p in slow.named_parameters():
                p.lerp_(dict(model.named_parameters())[name], 0.1)
        """,
    "an evaluation that needs gradients inside": """
        class Field(nn.Module):
            def __init__(self):
                super().__init__()
                self.energy = nn.Linear(3, 1)

            def forces(self, x):
                total = self.energy(x).sum()
                return -torch.autograd.grad(total, x, create_graph=self.training)[0]

            def forward(self, x):
                return self.forces(x.requires_grad_(True)).square().mean()

        def evaluate(model, batches):
            model.eval()
            total = sum(model(batch).item() for batch in batches)
            model.train()
            return total

        evaluate(Field(), [torch.randn(5, 3) for _ in range(4)])
        """,
    "what Dynamo never sees": """
        def checked(x):
            if torch.compiler.is_compiling():
                return x
            if not torch.isfinite(x).all():
                raise FloatingPointError
            return x

        @torch.compile
        def double(x):
            return checked(2 * x)

        double(torch.ones(3))
        """,
    "a count of what is used, that nothing reads to compute": """
        class Gate(nn.Module):
            def __init__(self):
                super().__init__()
                self.gate = nn.Linear(4, 3)
                self.register_buffer("usage", torch.zeros(3), persistent=False)

            def forward(self, x):
                scores = self.gate(x).softmax(-1)
                if self.training:
                    with torch.no_grad():
                        self.usage.lerp_(scores.mean(0), 0.05)
                return scores

        Gate()(torch.randn(2, 4))
        """,
    "losses that are gathered in forward, and taken out by another method": """
        class Mixed(nn.Module):
            def __init__(self):
                super().__init__()
                self.lin, self.extra = nn.Linear(4, 4), []

            def forward(self, x):
                y = self.lin(x)
                self.extra.append(y.square().mean())
                return y

            def taken(self):
                extra, self.extra = self.extra, []
                return torch.stack(extra).sum()

        model = nn.Sequential(Mixed(), Mixed())
        optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
        for _ in range(5):
            loss = model(torch.randn(2, 4)).mean()
            loss = loss + sum(m.taken() for m in model.modules() if isinstance(m, Mixed))
            optimizer.zero_grad()
            loss.backward()
            optimizer.step()
        """,
    "a schedule of epochs beside an epoch of its own": """
        class Trainer:
            def __init__(self, epochs):
                self.epochs, self.done = epochs, 0
                self.model = nn.Linear(4, 1)
                self.optimizer = torch.optim.SGD(self.model.parameters(), lr=0.1)
                self.schedule = torch.optim.lr_scheduler.CosineAnnealingLR(self.optimizer, T_max=epochs)

            def once(self, batches):
                for batch in batches:
                    self.optimizer.zero_grad()
                    self.model(batch).square().mean().backward()
                    self.optimizer.step()

            def fit(self, batches):
                while self.done < self.epochs:
                    self.done += 1
                    self.once(batches)
                    self.schedule.step()

        Trainer(8).fit([torch.randn(2, 4) for _ in range(3)])
        """,
    "a call of its own that goes on to forward": """
        class Rows(nn.Module):
            def __call__(self, *args, **kwargs):
                inputs = [x.unsqueeze(-1) if x.ndimension() == 1 else x for x in args]
                return super().__call__(*inputs, **kwargs)

        class Mean(Rows):
            def __init__(self):
                super().__init__()
                self.lin = nn.Linear(1, 3)

            def forward(self, x):
                rows, width = x.shape
                return self.lin(x)

        Mean()(torch.ones(5)) @ torch.ones(3, 2)
        """,
    "what is asked of numbers is not asked of tensors": """
        import numbers

        def is_nan(x):
            if isinstance(x, numbers.Number):
                return x != x
            return torch.isnan(x).any()

        if is_nan(torch.ones(8)):
            raise ValueError
        """,
    "distances between distributions whose parameters learn": """
        from torch.distributions import Independent, Normal, kl_divergence

        mean = torch.tensor([0.5, 1.0], requires_grad=True)
        kl_divergence(Normal(mean, 1.0), Normal(0.0, 1.0)).sum().backward()
        prior = Independent(Normal(torch.zeros(2), 1.0), 1)
        kl_divergence(prior, Independent(Normal(mean, 1.0), 1)).backward()

        class Ours(Normal):
            pass

        kl_divergence(Ours(mean, 1.0), Normal(0.0, 1.0)).sum().backward()
        """,
    "all pairs that a caller asks for": """
        def log_beta(x, y):
            return x.lgamma() + y.lgamma() - (x + y).lgamma()

        x = torch.rand(20)
        log_beta(x.unsqueeze(-1), x)
        """,
    "what is float on one path is used as an index on another, on which nothing is known of it": """
        import json

        def told(name):
            return json.load(open(name))

        table, picked = torch.zeros(2, 3), torch.zeros(2, 1)
        if told("discrete"):
            table, picked = told("table"), told("picked")
        if told("discrete"):
            table.gather(1, picked)
        """,
    "layers that are named by keywords": """
        import collections

        def block(i, o):
            return nn.Sequential(collections.OrderedDict(conv=nn.Conv2d(i, o, 3), norm=nn.BatchNorm2d(o)))

        net = nn.Sequential(block(1, 8), nn.AdaptiveAvgPool2d(1), nn.Flatten(), nn.Linear(8, 4))
        net(torch.randn(2, 1, 9, 9))
        widths = dict({"hidden": 3}, hidden=5)
        net(torch.randn(2, 1, 9, 9)) @ torch.ones(4, widths["hidden"]) @ torch.ones(5, 1)
        """,
    "how far the weights have moved from where they were": """
        lin = nn.Linear(2, 2)
        optimizer = torch.optim.SGD(lin.parameters(), lr=0.1)
        before = lin.weight.clone()
        for _ in range(3):
            optimizer.zero_grad()
            lin(torch.ones(1, 2)).sum().backward()
            optimizer.step()
            print((lin.weight - before).norm().item())
        """,
    "stages that a loop goes through on two ways, and that change in place": """
        from torch.utils.checkpoint import checkpoint

        class Net(nn.Module):
            def __init__(self, widths=(8, 16, 32), saving=False):
                super().__init__()
                self.saving = saving
                pairs = zip((8, *widths), widths)
                self.stages = nn.ModuleList(
                    nn.Sequential(nn.Linear(i, o), nn.LayerNorm(o), nn.ReLU(inplace=True)) for i, o in pairs
                )
                self.head = nn.Linear(widths[-1], 3)

            def forward(self, x):
                for stage in self.stages:
                    if self.saving and self.training:
                        x = checkpoint(stage, x, use_reentrant=False)
                    else:
                        x = stage(x)
                return self.head(x)

        def train(net):
            net.train()
            return net(torch.randn(4, 8))

        net = Net(saving=True)
        train(net)
        net(torch.randn(2, 8))
        """,
    "gradients cleared by hand, in a model of unknown sizes": """
        import json

        def empty(parameter):
            parameter.grad = None

        def reset(how, p):
            if how == "none":
                p.grad = None
            elif p.grad is not None:
                p.grad.zero_()

        sizes = json.load(open("sizes.json"))
        for how in ("none", "zero"):
            model = nn.Linear(sizes["in"], 4)
            optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
            for x, y in json.load(open("rows.json")):
                loss = F.cross_entropy(model(x), y)
                for p in model.parameters():
                    reset(how, p)
                loss.backward()
                optimizer.step()
        """,
    "gradients cleared by hand or by setattr": """
        import json

        model = nn.Linear(json.load(open("sizes.json"))["in"], 4)
        optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
        for x, y in json.load(open("rows.json")):
            F.cross_entropy(model(x), y).backward()
            optimizer.step()
            for p in model.parameters():
                setattr(p, "grad", None)
        for x, y in json.load(open("rows.json")):
            F.cross_entropy(model(x), y).backward()
            optimizer.step()
            for p in model.parameters():
                p.grad.data.zero_()
        """,
    "tuples with a star before more than a name": """
        import itertools

        def attend(query, key):
            B, H, L, S = *query.size()[:-1], key.size(-2)
            rows, last = *key.shape[:1], key.shape[-1]
            return torch.zeros(B, H, L, S), rows, last

        def rows_and_more(rows, given):
            return (rows, given) if given is None else (rows, 3)

        def found(rows):
            if rows is None:
                return "all", *rows_and_more(rows, None)
            return "some", *rows_and_more(rows, 1)

        kind, rows, more = found([1, 2])
        for one, other in list(itertools.product([1, 2, 3], repeat=2)):
            print(one + other)
        pairs = torch.stack([torch.arange(3), torch.arange(3)], axis=1)
        torch.zeros(3, 2) + pairs
        """,
    "a helper that tells numbers from tensors": """
        import json
        from numbers_of_ours import INTS

        def is_int(index):
            if isinstance(index, INTS):
                return True
            if isinstance(index, torch.Tensor):
                return index.ndim == 0
            return False

        def bump(index):
            if is_int(index):
                return int(index)
            return index.reshape(-1)

        def other(index):
            if not is_int(index):
                return index.reshape(-1)
            return int(index)

        bump(torch.zeros(2))
        other(torch.zeros(2))
        """,
    "an option of a module that is called requires_grad": """
        class Mix(nn.Module):
            def __init__(self, requires_grad=False):
                super().__init__()
                self.requires_grad = requires_grad
                self.beta = nn.Parameter(torch.ones(1), requires_grad=requires_grad)

            def forward(self, x):
                return self.beta * x

        Mix()(torch.ones(2))
        """,
    "a frozen weight to which a parametrization adds what learns": """
        from torch.nn.utils import parametrize

        class LowRank(nn.Module):
            def __init__(self, rows, columns):
                super().__init__()
                self.a = nn.Parameter(torch.randn(2, columns))
                self.b = nn.Parameter(torch.zeros(rows, 2))

            def forward(self, weight):
                return weight + self.b @ self.a

        model = nn.Sequential(nn.Linear(4, 4), nn.ReLU(), nn.Linear(4, 4)).requires_grad_(False)
        for name, module in list(model.named_modules()):
            if isinstance(module, nn.Linear) and name == "0":
                parametrize.register_parametrization(module, "weight", LowRank(4, 4))
        model(torch.ones(2, 4)).sum().backward()
        """,
    "many frozen layers, to some of which a parametrization adds what learns": """
        import fnmatch
        from torch.nn.utils import parametrize

        class Shift(nn.Module):
            def __init__(self):
                super().__init__()
                self.by = nn.Parameter(torch.zeros(1))

            def forward(self, weight):
                return weight + self.by

        class Net(nn.Module):
            def __init__(self):
                super().__init__()
                self.layers = nn.ModuleList()
                for _ in range(9):
                    self.layers.append(nn.ModuleDict({"norm": nn.LayerNorm(4), "lin": nn.Linear(4, 4)}))

            def forward(self, x):
                for layer in self.layers:
                    x = x + layer["lin"](layer["norm"](x))
                return x

        net = Net().requires_grad_(False)
        for name, module in list(net.named_modules()):
            if isinstance(module, nn.Linear) and fnmatch.fnmatch(name, "*.2.*"):
                parametrize.register_parametrization(module, "weight", Shift())
        net(torch.ones(2, 4)).sum().backward()
        """,
    "weights of a layer of one's own, kept early and put back": """
        class Masked(nn.Linear):
            def __init__(self, *args, **kwargs):
                super().__init__(*args, **kwargs)
                self.register_buffer("mask", torch.ones_like(self.weight))

            def forward(self, x):
                return F.linear(x, self.weight * self.mask, self.bias)

        net = nn.Sequential(Masked(20, 96), nn.ReLU(), Masked(96, 4))
        early = {name: p.detach().clone() for name, p in net.named_parameters()}
        with torch.no_grad():
            for name, p in net.named_parameters():
                p.copy_(early[name])
        net(torch.randn(2, 20))
        """,
    "a tensor that a method builds up while the module is made": """
        class Margin(nn.Module):
            def __init__(self, beta=1.2, classes=None, learned=False):
                super().__init__()
                self.learned = learned
                self.start(beta, classes)

            def forward(self, x):
                return x * self.beta

            def start(self, beta, classes):
                self.beta = torch.tensor([float(beta)])
                if classes:
                    self.beta = torch.ones(classes) * self.beta
                if self.learned:
                    self.beta = nn.Parameter(self.beta)
        """,
    "functions whose halves are methods of the class": """
        class Twice(torch.autograd.Function):
            @classmethod
            def forward(cls, ctx, x):
                return x * 2

            @classmethod
            def backward(cls, ctx, grad):
                return grad * 2

        class Cut(torch.autograd.Function):
            @classmethod
            def forward(cls, ctx, *tensors):
                return tuple(t.detach() for t in tensors)

            @classmethod
            def backward(cls, ctx, *grads):
                return grads

        a, b = Cut.apply(Twice.apply(torch.ones(2, requires_grad=True)), torch.ones(3))
        (a.sum() + b.sum()).backward()
        """,
}


@pytest.mark.parametrize("kind", PROGRAMS)
def test_a_right_program_is_left_alone(kind: str) -> None:
    engine = Engine()
    head = "import copy\nimport torch\nimport torch.nn.functional as F\nfrom torch import nn\n"
    engine.set_text(PATH, head + dedent(PROGRAMS[kind]))
    found = [f for f in engine.findings(PATH) if f.severity != "hint"]
    assert engine.crashes == []
    assert found == []
