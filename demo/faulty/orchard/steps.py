"""One batch at a time: what training and fine-tuning share."""

from torch.nn import functional as F


def smooth_loss(logits, labels, smoothing=0.05):
    """Cross-entropy that forgives a fruit which is hard to tell."""
    chances = F.softmax(logits, dim=1)
    return F.cross_entropy(chances, labels, label_smoothing=smoothing)  # fault: softmax-before-cross-entropy


def learn_from(model, pictures, labels):
    """Leaves the gradients of one batch in the parameters; the caller steps."""
    logits = model(pictures)
    loss = smooth_loss(logits, labels)
    loss.backward()  # fault: missing-zero-grad
    correct = (logits.argmax(dim=1) == labels).sum()
    return loss.item(), correct.item()
