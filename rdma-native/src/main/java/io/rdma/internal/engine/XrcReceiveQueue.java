package io.rdma.internal.engine;

import io.rdma.internal.log.LimitedLog;
import io.rdma.internal.loop.CompletionLoop;
import io.rdma.types.WorkCompletionStatus;
import io.rdma.verbs.CompletionBatch;
import io.rdma.verbs.ProtectionDomain;
import io.rdma.verbs.ReceiveChain;
import io.rdma.verbs.SharedReceiveQueue;
import java.lang.System.Logger;

// Invariant: a receive that failed ends the queue pair of its sender, and is given back. The other senders go on.

/** Receives of a shared receive queue of an XRC domain, and the messages of all senders in them. */
final class XrcReceiveQueue extends MessageQueue {
    private final XrcReceiver receiver;
    private final CompletionLoop loop;
    private final SharedReceiveQueue queue;
    private final LimitedLog log = new LimitedLog(XrcReceiver.class);

    /**
     * Creates the receives, of which nothing is posted yet.
     *
     * @param count of receive buffers
     * @param size bytes of each
     */
    XrcReceiveQueue(XrcReceiver receiver, ProtectionDomain domain, SharedReceiveQueue queue, int count, int size) {
        super(
                receiver.loop(),
                self -> new ReceiveRing(receiver.loop(), domain, self, count, 0, count, size, false, false),
                0,
                new Credits(false, count, 0, false));
        this.receiver = receiver;
        this.loop = receiver.loop();
        this.queue = queue;
        slots.retain();
    }

    @Override
    public int post(ReceiveChain chain) {
        return queue.post(chain);
    }

    @Override
    public int postedBeforeFailure(ReceiveChain chain) {
        return queue.postedBeforeFailure(chain);
    }

    @Override
    public void reposted(int messages, int control) {
        // a sender that met no receive tries again: nothing is announced
    }

    @Override
    public void refused(Throwable error) {
        receiver.fail(error);
    }

    @Override
    public void interrupted(RuntimeException cause) {
        receiver.fail(cause);
    }

    @Override
    public void completed(int slot, CompletionBatch completions, int index) {
        int status = completions.status(index);
        if (status == 0) {
            // A write with immediate puts nothing into the receive buffer; its byte_len is that of the write.
            int length = completions.isReceiveOfWrite(index) ? 0 : completions.byteLength(index);
            enqueue(slot, length, completions, index, true);
            return;
        }
        if (status == WorkCompletionStatus.WR_FLUSH_ERR.code()) {
            loop.counters().flush();
        } else {
            log.log(
                    Logger.Level.WARNING,
                    receiver + " dropped a message, and the device ended the queue pair of its sender: "
                            + WorkCompletionStatus.of(status),
                    null);
        }
        ring.giveBack(slot);
    }
}
