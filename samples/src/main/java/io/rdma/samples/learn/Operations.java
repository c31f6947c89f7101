package io.rdma.samples.learn;

import io.rdma.samples.support.DeviceOption;
import io.rdma.types.WorkRequestOpcode;
import io.rdma.verbs.DeviceContext;
import io.rdma.verbs.ProtectionDomain;
import java.util.List;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;

/**
 * A comparison of the operations of a reliable connection: what each requires of the peer, and how long it takes from
 * post to completion.
 */
@Command(
        name = "operations",
        mixinStandardHelpOptions = true,
        description = "Compare send, write, read and atomics: what they require of the peer, and how long they take.")
final class Operations implements Callable<Integer> {
    private static final List<Integer> SIZES = List.of(8, 64, 1024, 4096, 65_536);
    private static final int LARGEST = 65_536;
    private static final int INLINE = 64;

    @Mixin
    private DeviceOption device = new DeviceOption();

    @Mixin
    private Measuring measuring = new Measuring();

    private record Kind(String name, WorkRequestOpcode opcode, boolean inline, String peer) {
        boolean takes(int size) {
            return opcode.isReadOrAtomic() && opcode != WorkRequestOpcode.RDMA_READ
                    ? size == Long.BYTES // always 8 bytes
                    : !inline || size <= INLINE;
        }
    }

    private static final List<Kind> KINDS = List.of(
            new Kind("send", WorkRequestOpcode.SEND, false, "takes a receive, gets a completion"),
            new Kind("send inline", WorkRequestOpcode.SEND, true, "the same; the data goes with the request"),
            new Kind(
                    "send with imm", WorkRequestOpcode.SEND_WITH_IMM, false, "the same, and 4 bytes in the completion"),
            new Kind("write", WorkRequestOpcode.RDMA_WRITE, false, "gave a key; notices nothing"),
            new Kind("write inline", WorkRequestOpcode.RDMA_WRITE, true, "the same; the data goes with the request"),
            new Kind("write with imm", WorkRequestOpcode.RDMA_WRITE_WITH_IMM, false, "gave a key; takes a receive"),
            new Kind("read", WorkRequestOpcode.RDMA_READ, false, "gave a key; notices nothing"),
            new Kind("fetch and add", WorkRequestOpcode.ATOMIC_FETCH_AND_ADD, false, "the same; 8 bytes, aligned"),
            new Kind("compare and swap", WorkRequestOpcode.ATOMIC_CMP_AND_SWP, false, "the same; 8 bytes, aligned"));

    @Override
    public Integer call() {
        KINDS.forEach(kind -> System.out.printf("%-18s the peer %s%n", kind.name, kind.peer));
        Table table = new Table(
                "learn-operations",
                "bytes",
                "us, post to completion, median",
                KINDS.stream().map(Kind::name).toList());
        try (DeviceContext context = device.device().open();
                ProtectionDomain domain = context.allocateProtectionDomain();
                Side a = new Side(context, domain, LARGEST);
                Side b = new Side(context, domain, LARGEST)) {
            Address toB = b.address();
            a.connect(toB);
            b.connect(a.address());
            for (int size : SIZES) {
                table.row(
                        size,
                        KINDS.stream()
                                .mapToDouble(kind -> time(kind, size, a, b, toB))
                                .toArray());
            }
        }
        table.finish(measuring.output);
        return 0;
    }

    private double time(Kind kind, int size, Side a, Side b, Address toB) {
        if (!kind.takes(size)) {
            return Double.NaN;
        }
        return measuring.median(() -> {
            if (kind.opcode.consumesReceive()) {
                b.receive(1, 0, size);
            }
            once(kind, size, a, toB);
            a.await(1);
            if (kind.opcode.consumesReceive()) {
                b.await(1);
            }
        });
    }

    private static void once(Kind kind, int size, Side a, Address toB) {
        a.sends.clear();
        a.sends.add(2, kind.opcode).signaled();
        long there = toB.memory().address();
        int key = toB.memory().rkey();
        switch (kind.opcode) {
            case SEND -> {}
            case SEND_WITH_IMM -> a.sends.immediate(4);
            case RDMA_WRITE_WITH_IMM -> a.sends.remote(there, key).immediate(4);
            case ATOMIC_FETCH_AND_ADD, ATOMIC_CMP_AND_SWP -> a.sends.atomic(there, key, 1, 2);
            default -> a.sends.remote(there, key);
        }
        if (kind.inline) {
            a.sends.inline();
        }
        a.sends.entry(a.memory.segment().address(), size, a.memory.lkey());
        a.post();
    }
}
