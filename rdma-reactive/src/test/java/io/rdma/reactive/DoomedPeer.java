package io.rdma.reactive;

import java.time.Duration;
import java.util.concurrent.CountDownLatch;

/** Process that connects, prints {@code connected}, and waits to be killed. */
final class DoomedPeer {
    private DoomedPeer() {}

    public static void main(String[] args) throws InterruptedException {
        RdmaClient.create()
                .device(args[0])
                .host("127.0.0.1")
                .port(Integer.parseInt(args[1]))
                .connectNow(Duration.ofSeconds(120));
        System.out.println("connected");
        new CountDownLatch(1).await();
    }
}
