package io.rdma.internal.structures;

import io.rdma.engine.RdmaEndpoint;
import io.rdma.internal.engine.Endpoint;
import io.rdma.structures.StructureException;
import io.rdma.structures.StructureException.Reason;
import io.rdma.structures.StructureLocation;
import io.rdma.types.AtomicCapability;
import io.rdma.verbs.DeviceContext;

/** The opening of a structure by a client: one READ of its header. */
public final class StructureOpening {
    /** Constructor of a client with its number as a writer, which clients of some kinds need. */
    private interface Client<T> {
        T of(StructureAccess access, StructureHeader header, int writer);
    }

    private StructureOpening() {}

    /** Opens counters. */
    public static StructureCall<CounterClient> counters(
            RdmaEndpoint endpoint, StructureLocation location, StructureCall.Outcome<? super CounterClient> outcome) {
        return open(
                endpoint,
                location,
                StructureHeader.Kind.COUNTERS,
                (access, header, writer) -> new CounterClient(access, header),
                outcome);
    }

    /** Opens records. */
    public static StructureCall<RecordClient> records(
            RdmaEndpoint endpoint, StructureLocation location, StructureCall.Outcome<? super RecordClient> outcome) {
        return open(endpoint, location, StructureHeader.Kind.RECORDS, RecordClient::new, outcome);
    }

    /** Opens a table. */
    public static StructureCall<TableClient> table(
            RdmaEndpoint endpoint, StructureLocation location, StructureCall.Outcome<? super TableClient> outcome) {
        return open(endpoint, location, StructureHeader.Kind.TABLE, TableClient::new, outcome);
    }

    /** Opens locks. */
    public static StructureCall<LockClient> locks(
            RdmaEndpoint endpoint, StructureLocation location, StructureCall.Outcome<? super LockClient> outcome) {
        return open(endpoint, location, StructureHeader.Kind.LOCKS, LockClient::new, outcome);
    }

    /** Opens a ring, to produce. */
    public static StructureCall<RingClient> ring(
            RdmaEndpoint endpoint, StructureLocation location, StructureCall.Outcome<? super RingClient> outcome) {
        return open(
                endpoint,
                location,
                StructureHeader.Kind.RING,
                (access, header, writer) -> new RingClient(access, header),
                outcome);
    }

    private static <T> StructureCall<T> open(
            RdmaEndpoint connection,
            StructureLocation location,
            StructureHeader.Kind kind,
            Client<T> client,
            StructureCall.Outcome<? super T> outcome) {
        Endpoint endpoint = Endpoint.of(connection);
        RemoteAccess access = new RemoteAccess(endpoint, location.memory());
        return new StructureCall<T>(access, outcome) {
            @Override
            void attempt() {
                if (location.memory().length() < StructureHeader.BYTES) {
                    throw new StructureException(
                            Reason.OTHER_LAYOUT,
                            "the memory of the location has "
                                    + location.memory().length() + " bytes, too few for a"
                                    + " header: pass on the location that admit() returned");
                }
                requireRoom(endpoint, StructureHeader.BYTES);
                read(0, StructureHeader.BYTES, bytes -> {
                    StructureHeader header = StructureHeader.decode(
                            bytes, kind, location.memory().length());
                    requireRoom(endpoint, header.largestRequest());
                    if (header.needsAtomics()) {
                        requireAtomics(endpoint.loop().context());
                    }
                    succeed(client.of(access, header, location.writer()));
                });
            }
        }.start();
    }

    /** Refuses a device that cannot request atomics, whatever the device of the host can execute. */
    private static void requireAtomics(DeviceContext context) {
        if (context.queryDevice().atomicCap() == AtomicCapability.NONE) {
            throw new StructureException(
                    Reason.NO_ATOMICS,
                    "device " + context.name() + " of this client has no atomics (atomic_cap is IBV_ATOMIC_NONE), by"
                            + " which clients change this structure: connect from another device, or call the host"
                            + " (RdmaCallClient). Rings need no atomics");
        }
    }

    private static void requireRoom(Endpoint endpoint, int bytes) {
        int size = endpoint.sendBuffers().bufferSize();
        if (bytes > size) {
            throw new StructureException(
                    Reason.SMALL_BUFFERS,
                    "the largest request of this structure has " + bytes + " bytes, a send buffer of the connection "
                            + size + ": connect with sendBuffers(count, " + bytes + ") or more");
        }
    }
}
