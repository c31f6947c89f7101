package io.rdma.reactive;

import java.lang.foreign.ValueLayout;
import java.time.Duration;
import java.util.concurrent.CountDownLatch;
import reactor.core.publisher.Flux;

/** Process that sends numbers to an XRC receiver, prints {@code sent}, and waits to be killed. */
final class SendingPeer {
    private SendingPeer() {}

    public static void main(String[] args) throws InterruptedException {
        RdmaXrcSender sender = RdmaXrcClient.create()
                .device(args[0])
                .host(args[1])
                .port(Integer.parseInt(args[2]))
                .connectNow(Duration.ofSeconds(120));
        int receiver = Integer.parseInt(args[3]);
        Flux.range(0, Integer.parseInt(args[4]))
                .concatMap(i -> sender.send(Integer.BYTES, target -> target.set(ValueLayout.JAVA_INT, 0, i), receiver))
                .blockLast(Duration.ofSeconds(120));
        System.out.println("sent");
        new CountDownLatch(1).await();
    }
}
