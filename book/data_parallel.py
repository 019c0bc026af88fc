"""Two processes, one gradient: run by ``torchrun --standalone --nproc-per-node 2 book/data_parallel.py``.

The process of rank 0 prints which sentences each process gets, and how far each way to divide the loss leaves the
averaged gradient from that of one process with all sentences.
"""

import torch
import torch.distributed as dist
from torch import nn
from torch.nn.parallel import DistributedDataParallel
from torch.nn.utils.rnn import pad_sequence
from torch.utils.data import DistributedSampler

from solutions import BOS, EOS, PAD
from solutions.losses import LabelSmoothing
from solutions.training import Batch
from solutions.transformer import make_model
from solutions.translation import average_gradients

VOCABULARY = 40
LENGTHS = (3, 9, 4, 12, 2, 7, 11, 5)  # of sentences: unequal, so that processes get unequal numbers of tokens


class SummedLoss(nn.Module):
    """The sum of a batch's losses, in one call of ``forward``: only there the wrapper below takes notice."""

    def __init__(self):
        super().__init__()
        self.model = make_model(VOCABULARY, VOCABULARY, 1, 16, 32, 2, dropout=0.0)
        self.loss = LabelSmoothing(VOCABULARY, PAD, smoothing=0.1)

    def forward(self, batch):
        hidden = self.model(batch.src, batch.tgt, batch.src_mask, batch.tgt_mask)
        return self.loss(self.model.generator(hidden).flatten(0, 1), batch.tgt_y.flatten())


def batch_of(sentences):
    """A `Batch` that copies its sentences, padded."""
    rows = pad_sequence([torch.tensor([BOS, *ids, EOS]) for ids in sentences], batch_first=True, padding_value=PAD)
    return Batch(rows, rows)


def gradient(model, batch, divisor):
    """All gradients of the batch's loss in one vector, after whatever the model does to them."""
    model.zero_grad()
    (model(batch) / divisor).backward()
    return torch.cat([parameter.grad.flatten() for parameter in model.parameters()])


def worker():
    """What each process does."""
    dist.init_process_group("gloo")  # between GPUs: "nccl"
    rank, processes = dist.get_rank(), dist.get_world_size()
    torch.manual_seed(0)  # the same sentences and the same first weights in every process
    sentences = [torch.randint(4, VOCABULARY, (length,)).tolist() for length in LENGTHS]
    model = SummedLoss().double()
    everything = batch_of(sentences)
    alone = gradient(model, everything, everything.ntokens)  # what one process with all sentences gets
    together = DistributedDataParallel(model)

    sampler = DistributedSampler(sentences, seed=0)
    for epoch in (0, 1):
        forgotten = list(sampler)
        sampler.set_epoch(epoch)  # before each epoch: the order is drawn from the seed and this number
        shares = [None] * processes
        dist.all_gather_object(shares, (list(sampler), forgotten))
        if rank == 0:
            for name, share in zip(("with set_epoch", "without       "), zip(*shares)):
                print(f"epoch {epoch} {name} the processes get sentences", *share)

    sampler.set_epoch(0)
    own = batch_of([sentences[index] for index in sampler])
    total = torch.tensor(float(own.ntokens), dtype=torch.float64)
    dist.all_reduce(total)  # becomes the sum over all processes
    divisors = {
        "own tokens": own.ntokens,
        "tokens of all": total,
        "tokens of all / processes": total / processes,
    }
    averaged = {name: gradient(together, own, divisor) for name, divisor in divisors.items()}
    gradient(model, own, 1)  # of the sum, without the wrapper
    average_gradients(model, own.ntokens, dist.all_reduce)
    averaged["average_gradients"] = torch.cat([parameter.grad.flatten() for parameter in model.parameters()])
    if rank == 0:
        print(f"target tokens: {own.ntokens} of {int(total)} in process 0")
        print("loss divided by              length / right length   off by")
        for name, found in averaged.items():
            off = (found - alone).norm() / alone.norm()
            print(f"{name:27} {found.norm() / alone.norm():22.3f} {off:8.1e}")
    dist.destroy_process_group()


if __name__ == "__main__":
    worker()
