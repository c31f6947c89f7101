package io.rdma.samples.learn;

import io.rdma.samples.support.DeviceOption;
import io.rdma.types.QueuePairState;
import io.rdma.types.VerbsException;
import io.rdma.types.WorkCompletionStatus;
import io.rdma.types.WorkRequestOpcode;
import io.rdma.verbs.DeviceContext;
import io.rdma.verbs.ProtectionDomain;
import io.rdma.verbs.QueuePair;
import io.rdma.verbs.QueuePairAttributes;
import java.nio.charset.StandardCharsets;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;

/** The states of a queue pair from RESET to ready to send, and its end. */
@Command(
        name = "bring-up",
        mixinStandardHelpOptions = true,
        description = "Bring two queue pairs up step by step, send a message, and take them down.")
final class BringUp implements Callable<Integer> {
    private static final long RECEIVE = 1;
    private static final long SEND = 2;

    @Mixin
    private DeviceOption device = new DeviceOption();

    @Override
    public Integer call() {
        try (DeviceContext context = device.device().open();
                ProtectionDomain domain = context.allocateProtectionDomain();
                Side a = new Side(context, domain, 4096);
                Side b = new Side(context, domain, 4096)) {
            // Both sides first learn each other's address. Here they are in one process; TcpExchange shows the exchange
            // over a network.
            Address toA = a.address();
            Address toB = b.address();
            System.out.println("a is " + toA);
            System.out.println("b is " + toB);

            explain("INIT: the port, and the access rights of the peer. Receives can be posted from here on");
            step(a.pair, a.init());
            step(b.pair, b.init());
            b.receive(RECEIVE, 0, 4096); // before the peer can send: a message without a receive is sent again

            explain("a step that is not there is refused, and names what is wrong");
            refused(a.pair, a.readyToSend());

            explain("RTR, ready to receive: who the peer is, by which path, and the number of its first packet");
            step(a.pair, a.readyToReceive(toB));
            step(b.pair, b.readyToReceive(toA));

            explain("RTS, ready to send: our first packet's number, and how patient we are");
            step(a.pair, a.readyToSend());
            step(b.pair, b.readyToSend());

            explain("a message crosses");
            byte[] greeting = "hello from a".getBytes(StandardCharsets.UTF_8);
            a.memory.segment().asByteBuffer().put(greeting);
            a.sends.clear();
            a.sends.add(SEND, WorkRequestOpcode.SEND).signaled();
            a.sends.entry(a.memory.segment().address(), greeting.length, a.memory.lkey());
            a.post();
            a.await(1);
            b.await(1);
            byte[] arrived = new byte[b.batch.byteLength(0)];
            b.memory.segment().asByteBuffer().get(arrived);
            System.out.println("b has received: " + new String(arrived, StandardCharsets.UTF_8));

            explain("ERR: what is posted comes back as flushed, so nobody waits for ever");
            b.receive(RECEIVE, 0, 4096);
            step(b.pair, QueuePairAttributes.toState(QueuePairState.ERR));
            while (b.queue.poll(b.batch) == 0) {
                Thread.onSpinWait();
            }
            System.out.println("the receive ended with " + WorkCompletionStatus.of(b.batch.status(0)));
        }
        return 0;
    }

    private static void explain(String text) {
        System.out.println();
        System.out.println(text);
    }

    private static void step(QueuePair pair, QueuePairAttributes attributes) {
        QueuePairState before = pair.queryState();
        pair.modify(attributes);
        System.out.println("queue pair " + pair.number() + ": " + before + " -> " + pair.queryState());
    }

    private static void refused(QueuePair pair, QueuePairAttributes attributes) {
        try {
            pair.modify(attributes);
            System.out.println("it was not refused");
        } catch (VerbsException e) {
            System.out.println(
                    "queue pair " + pair.number() + " stays in " + pair.queryState() + ": " + e.getMessage());
        }
    }
}
