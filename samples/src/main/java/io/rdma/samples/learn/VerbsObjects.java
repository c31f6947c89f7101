package io.rdma.samples.learn;

import io.rdma.samples.support.DeviceOption;
import io.rdma.types.AccessFlag;
import io.rdma.types.QueuePairCapacity;
import io.rdma.types.SharedReceiveQueueAttributes;
import io.rdma.types.VerbsException;
import io.rdma.verbs.CompletionChannel;
import io.rdma.verbs.CompletionQueue;
import io.rdma.verbs.DeviceContext;
import io.rdma.verbs.MemoryRegion;
import io.rdma.verbs.ProtectionDomain;
import io.rdma.verbs.QueuePair;
import io.rdma.verbs.SharedReceiveQueue;
import java.util.EnumSet;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;

/** The objects of verbs, and which of them is created from which. */
@Command(
        name = "objects",
        mixinStandardHelpOptions = true,
        description = "Create one verbs object of each kind, and show what the device granted.")
final class VerbsObjects implements Callable<Integer> {
    @Mixin
    private DeviceOption device = new DeviceOption();

    @Override
    public Integer call() {
        // Try-with-resources closes in reverse order, which is the order that verbs requires.
        try (DeviceContext context = device.device().open();
                ProtectionDomain domain = context.allocateProtectionDomain();
                MemoryRegion memory =
                        domain.allocate(8192, EnumSet.of(AccessFlag.LOCAL_WRITE, AccessFlag.REMOTE_READ));
                CompletionChannel channel = context.createCompletionChannel();
                CompletionQueue queue = context.createCompletionQueue(100, channel);
                SharedReceiveQueue shared = domain.createSharedReceiveQueue(SharedReceiveQueueAttributes.of(100, 1));
                QueuePair alone = domain.createQueuePair(queue, queue, new QueuePairCapacity(10, 10, 1, 1, 60));
                QueuePair sharing =
                        domain.createQueuePair(queue, queue, shared, new QueuePairCapacity(10, 1, 1, 1, 0))) {
            show("device context", context.name() + ", from which all other objects are created");
            show("protection domain", "the scope of keys: a key of one domain is not valid in another");
            show(
                    "memory region",
                    memory.segment().byteSize() + " bytes, pinned; local key 0x" + Integer.toHexString(memory.lkey())
                            + ", remote key 0x" + Integer.toHexString(memory.rkey()));
            show("completion channel", "lets a thread sleep until a completion queue has an event");
            show("completion queue", "100 entries wanted, " + queue.entries() + " granted");
            show("shared receive queue", "100 receives wanted, " + shared.attributes() + " granted");
            show("queue pair " + alone.number(), "in " + alone.queryState() + ", granted " + alone.capacity());
            show("queue pair " + sharing.number(), "takes its receives from the shared queue");
            refuse("closing a domain that has queue pairs and regions", domain);
            refuse("closing a queue that queue pairs complete on", queue);
        }
        System.out.println("all closed, last made first");
        return 0;
    }

    /**
     * Tries to close an object that is in use. Where C returns EBUSY, this library throws an exception, and the object
     * stays open.
     */
    private static void refuse(String action, AutoCloseable object) {
        try {
            object.close();
            System.out.println(action + " was not refused");
        } catch (VerbsException e) {
            show(action, String.valueOf(e.getMessage()));
        } catch (Exception e) {
            throw new IllegalStateException(e);
        }
    }

    private static void show(String name, String text) {
        System.out.printf("%-24s %s%n", name, text);
    }
}
