package io.rdma.verbs;

import io.rdma.internal.ffi.Cq;
import io.rdma.internal.ffi.ExtendedVerbs;
import io.rdma.internal.ffi.Verbs;
import org.jspecify.annotations.Nullable;

/** A completion queue, {@code ibv_create_cq(3)}. Exactly one thread polls it. */
public final class CompletionQueue extends NativeObject {
    private final @Nullable ExtendedVerbs extended; // null: polled by the classic interface
    private volatile int entries;

    CompletionQueue(Verbs verbs, @Nullable ExtendedVerbs extended, Cq cq, OpenObjects siblings) {
        super(verbs, cq.handle(), siblings);
        this.extended = extended;
        this.entries = cq.cqe();
    }

    /**
     * Depth as granted.
     *
     * @return entries
     */
    public int entries() {
        return entries;
    }

    /**
     * How it is polled.
     *
     * @return as it was created
     */
    public PostingInterface polling() {
        return extended == null ? PostingInterface.CLASSIC : PostingInterface.EXTENDED;
    }

    /**
     * Takes completions, {@code ibv_poll_cq(3)} or {@code ibv_start_poll(3)}.
     *
     * @param batch overwritten; its capacity is the most that is taken
     * @return how many were taken, or a negative errno when the queue has overrun
     */
    public int poll(CompletionBatch batch) {
        return extended == null
                ? verbs.pollCq(handle(), batch.capacity(), batch.address())
                : extended.pollEx(handle(), batch.capacity(), batch.address(), batch.timestamps());
    }

    /**
     * Arms the queue for one event, {@code ibv_req_notify_cq(3)}; poll once more afterwards, before sleeping.
     *
     * @throws VerbsException on failure
     */
    public void requestNotify() {
        requestNotify(false);
    }

    /**
     * Arms the queue for one event of a message that its sender marked as solicited, or of a failure,
     * {@code ibv_req_notify_cq(3)}.
     *
     * @throws VerbsException on failure
     */
    public void requestNotifySolicited() {
        requestNotify(true);
    }

    private void requestNotify(boolean solicitedOnly) {
        int result = verbs.reqNotifyCq(handle(), solicitedOnly);
        if (result < 0) {
            throw new VerbsException("ibv_req_notify_cq", -result, null);
        }
    }

    /**
     * Changes the depth, {@code ibv_resize_cq(3)}.
     *
     * @param least number of entries, at least those that are in it
     * @throws VerbsException EINVAL if too few or too many, EOPNOTSUPP or ENOSYS where the device cannot
     */
    public void resize(int least) {
        entries = verbs.memory().resizeCq(handle(), least);
    }

    /**
     * Whether an event is of this queue.
     *
     * @param event of {@link CompletionChannel#takeEvent}
     * @return true if it is to be acknowledged here
     */
    public boolean isNamedBy(long event) {
        return handle() == event;
    }

    /**
     * Acknowledges events, {@code ibv_ack_cq_events(3)}; all must be acknowledged before {@link #close}.
     *
     * @param events how many
     */
    public void acknowledge(int events) {
        verbs.ackCqEvents(handle(), events);
    }

    @Override
    void destroy(long handle) {
        verbs.destroyCq(handle);
    }
}
