import torch


@torch.compile(backend="eager")
def sign_aware(values):
    return torch.cond(values.sum() > 0, lambda v: v.sqrt(), lambda v: -v, (values,))


if __name__ == "__main__":
    sign_aware(torch.rand(4))
