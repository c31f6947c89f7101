package io.rdma.reactive;

import java.lang.foreign.MemorySegment;

/** TCK of Reactive Streams for the subscriber that sends messages in memory of their own, which the peer reads. */
public class SendLargeSubscriberTckTest extends StreamSubscriberTck {
    private static final int LARGE = 1000;

    @Override
    MessageEncoder<Integer> encoder() {
        return new MessageEncoder<>() {
            @Override
            public int encode(Integer element, MemorySegment target) {
                return LARGE;
            }

            @Override
            public int length(Integer element) {
                return LARGE;
            }
        };
    }
}
