package io.rdma.verbs;

import io.rdma.internal.ffi.ExtendedVerbs;
import io.rdma.internal.ffi.Verbs;
import io.rdma.internal.ibv.Cq;
import io.rdma.types.PostingInterface;
import io.rdma.types.VerbsException;
import java.time.Duration;
import java.time.temporal.ChronoUnit;
import org.jspecify.annotations.Nullable;

/** A completion queue, {@code ibv_create_cq(3)}. Exactly one thread polls it. */
public final class CompletionQueue extends NativeObject {
    private static final int MOST_MODERATION = 0xffff; // uint16_t in struct ibv_moderate_cq
    private static final int NANOS_PER_MICRO = 1000;

    private final @Nullable ExtendedVerbs extended; // null: polled by the classic interface
    private volatile int entries;

    CompletionQueue(Verbs verbs, @Nullable ExtendedVerbs extended, Cq cq, OpenObjects siblings) {
        super(verbs, cq.handle(), siblings);
        this.extended = extended;
        this.entries = cq.cqe();
    }

    /**
     * Returns the depth that the device granted.
     *
     * @return entries
     */
    public int entries() {
        return entries;
    }

    /**
     * Returns the interface by which it is polled.
     *
     * @return the interface with which it was created
     */
    public PostingInterface polling() {
        return extended == null ? PostingInterface.CLASSIC : PostingInterface.EXTENDED;
    }

    /**
     * Polls for completions, {@code ibv_poll_cq(3)} or {@code ibv_start_poll(3)}.
     *
     * @param batch receives the completions and is overwritten; its capacity bounds how many are polled
     * @return number of completions, or a negative errno if the queue has overrun
     */
    public int poll(CompletionBatch batch) {
        return extended == null
                ? verbs.pollCq(handle(), batch.capacity(), batch.address())
                : extended.pollEx(handle(), batch.capacity(), batch.address(), batch.timestamps());
    }

    /**
     * Arms the queue for one event, {@code ibv_req_notify_cq(3)}. Poll once more after arming and before sleeping.
     *
     * @throws VerbsException on failure
     */
    public void requestNotify() {
        requestNotify(false);
    }

    /**
     * Arms the queue for one event, {@code ibv_req_notify_cq(3)}. Only a message that its sender marked as solicited,
     * or a failure, raises it.
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
     * Moderates the events of this queue, {@code ibv_modify_cq(3)}: while it is armed, an event is raised when a number
     * of completions has arrived, or the period has passed since the first of them. Fewer events cost less, and come
     * later. Choose fewer completions than the queue has entries. With a period of zero, fewer completions raise no
     * event at all.
     *
     * @param completions number of completions per event, up to 65,535; 0 or 1 ends the moderation
     * @param period longest delay of an event, up to 65,535 us, rounded up to whole microseconds; zero for no limit
     * @throws IllegalArgumentException if one of them is out of range
     * @throws VerbsException EOPNOTSUPP or ENOSYS if the device does not moderate; EINVAL if its own limits are lower
     */
    public void moderate(int completions, Duration period) {
        boolean tooLong = period.compareTo(Duration.of(MOST_MODERATION, ChronoUnit.MICROS)) > 0;
        if (completions < 0 || completions > MOST_MODERATION || period.isNegative() || tooLong) {
            throw new IllegalArgumentException("Moderation takes 0 to " + MOST_MODERATION + " completions and 0 to "
                    + MOST_MODERATION + " us, not " + completions + " and " + period);
        }
        long micros = (period.toNanos() + NANOS_PER_MICRO - 1) / NANOS_PER_MICRO; // rounded down, it could be no limit
        verbs.optional().modifyCq(handle(), completions, (int) micros);
    }

    /**
     * Changes the depth, {@code ibv_resize_cq(3)}.
     *
     * @param least smallest acceptable number of entries; not fewer than the queue holds now
     * @throws VerbsException EINVAL if too few or too many, EOPNOTSUPP or ENOSYS if the device cannot resize
     */
    public void resize(int least) {
        entries = verbs.memory().resizeCq(handle(), least);
    }

    /**
     * Returns whether an event belongs to this queue.
     *
     * @param event result of {@link CompletionChannel#takeEvent}
     * @return true if the event must be acknowledged on this queue
     */
    public boolean isNamedBy(long event) {
        return handle() == event;
    }

    /**
     * Acknowledges events, {@code ibv_ack_cq_events(3)}. All events must be acknowledged before {@link #close}.
     *
     * @param events number of events
     */
    public void acknowledge(int events) {
        verbs.ackCqEvents(handle(), events);
    }

    @Override
    void destroy(long handle) {
        verbs.destroyCq(handle);
    }
}
