package io.rdma.reactive.pool;

import java.util.concurrent.CountDownLatch;

/** Process that listens, prints {@code port} and its port, and waits to be killed. */
final class EchoProcess {
    private EchoProcess() {}

    public static void main(String[] args) throws InterruptedException {
        System.out.println("port " + new PoolFixture(args[0]).server().port());
        new CountDownLatch(1).await();
    }
}
