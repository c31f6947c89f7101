package io.rdma.engine;

/** Counters of a completion loop and its connections since the start. Any thread may read them at any time. */
public interface LoopCounters {
    /**
     * Returns the number of send work requests posted.
     *
     * @return work requests
     */
    long posted();

    /**
     * Returns the number of signaled ones among {@link #posted()}: those that ask for a completion.
     *
     * @return work requests
     */
    long signaled();

    /**
     * Returns the number of posts of sends, one doorbell each.
     *
     * @return chains
     */
    long doorbells();

    /**
     * Returns the number of polls of completion queues.
     *
     * @return calls
     */
    long polls();

    /**
     * Returns the number of polls that found no completion.
     *
     * @return calls
     */
    long emptyPolls();

    /**
     * Returns how often the loop slept until it was woken.
     *
     * @return times
     */
    long sleeps();

    /**
     * Returns the number of completions polled.
     *
     * @return entries
     */
    long completions();

    /**
     * Returns the number of completions of requests that the device flushed because their queue pair was in ERR.
     *
     * @return entries
     */
    long flushed();

    /**
     * Returns the number of receives posted again after their first use.
     *
     * @return work requests
     */
    long reposted();

    /**
     * Returns how often a message used the last posted receive of a ring, the receives for control frames included.
     *
     * @return times
     */
    long starved();

    /**
     * Returns the number of messages that waited because the peer had no receive for them.
     *
     * @return messages
     */
    long creditWaits();

    /**
     * Returns the number of frames that carried nothing but credits; included in {@link #posted()}.
     *
     * @return frames
     */
    long creditFrames();

    /**
     * Returns the number of completions whose wr_id was not in flight: their queue pair had been destroyed before.
     *
     * @return entries
     */
    long stale();

    /**
     * Returns the number of received datagrams that were dropped: too short, or without a readable sender.
     *
     * @return datagrams
     */
    long malformed();

    /**
     * Returns the number of messages that were lost on their way to unreliable connections of the loop, see
     * {@link RdmaEndpoint#lostMessages}. One gap counts as at most 65,536.
     *
     * @return messages
     */
    long lost();

    /**
     * Returns how often connections migrated to their alternate path, {@code IBV_EVENT_PATH_MIG}.
     *
     * @return times
     */
    long migrations();

    /**
     * Returns how often a listener threw.
     *
     * @return times
     */
    long listenerErrors();
}
