package io.rdma.internal.connect;

import io.rdma.connect.ConnectionOptions;
import io.rdma.connect.FlowControl;
import io.rdma.connect.RdmaConnectException;
import io.rdma.internal.close.CloseSteps;
import io.rdma.internal.engine.EndpointOptions;
import io.rdma.types.DeviceAttributes;
import io.rdma.types.PostingInterface;
import io.rdma.types.QueuePairCapacity;
import io.rdma.types.VerbsException;
import io.rdma.verbs.CompletionQueue;
import io.rdma.verbs.DeviceContext;
import io.rdma.verbs.ProtectionDomain;
import io.rdma.verbs.QueuePair;
import io.rdma.verbs.QueuePairType;
import io.rdma.verbs.SharedReceiveQueue;
import org.jspecify.annotations.Nullable;

/**
 * Creation of a queue pair of a wanted capacity, {@code ibv_create_qp(3)}. No attribute of a device says how many bytes
 * it sends inline, and inline data only saves time. So a refusal is followed by an attempt without inline data.
 */
final class QueuePairCreation {
    private static final String SMALLER = "choose a QueuePairCapacity with a smaller ";

    private QueuePairCreation() {}

    /**
     * Returns options with fewer entries of a send if the device has fewer than the default. An explicit number that
     * equals the default cannot be told from it, and is lowered as well.
     */
    static ConnectionOptions fitted(ConnectionOptions options, DeviceAttributes device) {
        QueuePairCapacity wanted = options.queuePair();
        boolean fits =
                wanted.maxSendSge() != ConnectionOptions.DEFAULT.queuePair().maxSendSge()
                        || wanted.maxSendSge() <= device.maxSge();
        return fits ? options : options.withQueuePair(wanted.withMaxSendSge(device.maxSge()));
    }

    /**
     * Returns the capacity that the application wants plus room for control frames, whose headers are scatter/gather
     * elements of their own.
     */
    static QueuePairCapacity capacity(ConnectionOptions options) {
        QueuePairCapacity wanted = options.queuePair();
        return options.flowControl() == FlowControl.PLAIN
                ? wanted
                : new QueuePairCapacity(
                        wanted.maxSendWr() + EndpointOptions.CONTROL_SENDS,
                        wanted.maxReceiveWr() + EndpointOptions.CONTROL_RECEIVES,
                        Math.max(2, wanted.maxSendSge()),
                        Math.max(2, wanted.maxReceiveSge()),
                        wanted.maxInlineData());
    }

    /**
     * Creates a queue pair.
     *
     * @param shared queue of its receives, null if it has one of its own
     * @return its capacity has 0 bytes inline if the device refused the wanted ones
     * @throws RdmaConnectException DEVICE if the capacity exceeds what the device says that it has
     * @throws VerbsException if the device refuses for another reason
     */
    static QueuePair create(
            DeviceContext device,
            ProtectionDomain domain,
            QueuePairType type,
            CompletionQueue queue,
            @Nullable SharedReceiveQueue shared,
            QueuePairCapacity capacity) {
        try {
            return domain.createQueuePair(type, queue, queue, shared, capacity, PostingInterface.BOTH);
        } catch (VerbsException refused) {
            DeviceAttributes most = device.queryDevice();
            require(
                    device,
                    most.maxQpWr(),
                    capacity.maxSendWr(),
                    "requests in a send queue",
                    SMALLER + "MaxSendWr",
                    refused);
            require(
                    device,
                    most.maxQpWr(),
                    capacity.maxReceiveWr(),
                    "requests in a receive queue",
                    SMALLER + "MaxReceiveWr, and fewer receive buffers",
                    refused);
            require(device, most.maxSge(), capacity.maxSendSge(), "entries of a send", SMALLER + "MaxSendSge", refused);
            require(
                    device,
                    most.maxSge(),
                    capacity.maxReceiveSge(),
                    "entries of a receive",
                    SMALLER + "MaxReceiveSge",
                    refused);
            if (capacity.maxInlineData() == 0) {
                throw refused;
            }
            return createWithoutInline(domain, type, queue, shared, capacity, refused);
        }
    }

    private static QueuePair createWithoutInline(
            ProtectionDomain domain,
            QueuePairType type,
            CompletionQueue queue,
            @Nullable SharedReceiveQueue shared,
            QueuePairCapacity capacity,
            VerbsException refused) {
        try {
            return domain.createQueuePair(
                    type, queue, queue, shared, capacity.withMaxInlineData(0), PostingInterface.BOTH);
        } catch (VerbsException again) {
            CloseSteps.suppress(refused, again);
            throw refused;
        }
    }

    /** Refuses what exceeds a limit of the device, for which it has refused it without a reason. */
    static void require(
            DeviceContext device, int most, int wanted, String what, String remedy, VerbsException refused) {
        if (wanted > most) {
            throw new RdmaConnectException(
                    RdmaConnectException.Reason.DEVICE,
                    device.name() + " has at most " + most + ' ' + what + ", not " + wanted + ": " + remedy,
                    refused);
        }
    }
}
