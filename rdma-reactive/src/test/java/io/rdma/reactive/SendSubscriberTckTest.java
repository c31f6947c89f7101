package io.rdma.reactive;

/** The subscriber of a stream of messages that fit into the peer's receive buffers. */
public class SendSubscriberTckTest extends StreamSubscriberTck {
    @Override
    MessageEncoder<Integer> encoder() {
        return (element, target) -> 4;
    }
}
