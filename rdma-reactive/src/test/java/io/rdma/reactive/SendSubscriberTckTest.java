package io.rdma.reactive;

/** TCK of Reactive Streams for the subscriber that sends messages that fit into the peer's receive buffers. */
public class SendSubscriberTckTest extends StreamSubscriberTck {
    @Override
    MessageEncoder<Integer> encoder() {
        return (element, target) -> 4;
    }
}
