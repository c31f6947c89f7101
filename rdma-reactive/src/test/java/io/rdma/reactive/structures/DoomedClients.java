package io.rdma.reactive.structures;

import static io.rdma.reactive.structures.StructuresFixture.PATIENCE;

import io.rdma.connect.RdmaResources;
import io.rdma.reactive.RdmaConnection;
import io.rdma.structures.StructureLocation;
import io.rdma.testing.JavaProcess;
import io.rdma.testing.structures.Moment;
import io.rdma.testing.structures.StoppableDevice;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import reactor.core.publisher.Mono;

/** Participants of one process, one for each {@link Moment}, each with a connection of its own that stops there. */
final class DoomedClients {
    private final StoppableDevice device;
    private final List<Participant> participants = new ArrayList<>();
    final RdmaResources resources;

    /** A participant that has come to its moment, and the end of its operation. */
    record Participant(Moment moment, RdmaConnection connection, StoppableDevice.Stop stop, CompletableFuture<?> end) {}

    DoomedClients(String device) {
        this.device = new StoppableDevice(device);
        resources = RdmaResources.open(this.device.device());
    }

    /** Runs all participants to their moments, and kills this process then. Arguments: device, port. */
    public static void main(String[] args) throws Throwable {
        DoomedClients clients = new DoomedClients(args[0]);
        clients.connect(Integer.parseInt(args[1]));
        System.out.println("stopped " + clients.participants.size());
        clients.postInFlight();
        JavaProcess.killCaller();
    }

    List<Participant> participants() {
        return participants;
    }

    /** Connects all participants to the host, and runs each to its moment. */
    void connect(int port) throws Exception {
        for (Moment moment : Moment.all()) {
            RdmaConnection connection = Observer.connect(resources, port);
            BlockingQueue<StructureLocation> arrived = Observer.locations(connection);
            Mono<?> operation = prepared(moment, connection, arrived);
            StoppableDevice.Stop stop = device.stopNext(moment.operation().requests(), moment.posted());
            CompletableFuture<?> end = operation.toFuture();
            if (moment.effect() == Moment.Effect.CERTAIN) {
                end.get(PATIENCE.toSeconds(), TimeUnit.SECONDS);
                stop.requireExpected();
            } else {
                stop.await();
            }
            participants.add(new Participant(moment, connection, stop, end));
        }
    }

    /** Opens the structure of a moment, does what comes before the operation, and returns the operation. */
    private static Mono<?> prepared(Moment moment, RdmaConnection connection, BlockingQueue<StructureLocation> arrived)
            throws Exception {
        StructureLocation location = Observer.next(arrived);
        return switch (moment.operation()) {
            case COUNTER_ADD -> opened(RdmaCounters.open(connection, location)).add(moment.place(), 1);
            case RECORD_PUT -> opened(RdmaRecords.open(connection, location)).put(moment.place(), Observer.NEW_RECORD);
            case TABLE_PUT ->
                opened(RdmaTable.open(connection, location))
                        .put(Observer.key(Observer.bucket(moment)), Observer.NEW_VALUE);
            case TABLE_REMOVE ->
                opened(RdmaTable.open(connection, location)).remove(Observer.key(Observer.bucket(moment)));
            case LOCK_ACQUIRE -> opened(RdmaLocks.open(connection, location)).acquire(Observer.lock(moment));
            case LOCK_RENEW -> held(moment, connection, location).renew();
            case LOCK_RELEASE -> held(moment, connection, location).release();
            case RING_SEND -> opened(RdmaRing.open(connection, location)).send(Observer.ENTRY);
            case RING_SEND_AT_END -> {
                RdmaRing ring = opened(RdmaRing.open(connection, location));
                for (byte[] entry : Observer.FILLING) {
                    ring.send(entry).block(PATIENCE);
                }
                Observer.next(arrived); // the host has taken them
                yield ring.send(Observer.ENTRY);
            }
        };
    }

    private static <T> T opened(Mono<T> opening) {
        return opening.block(PATIENCE);
    }

    private static RdmaLease held(Moment moment, RdmaConnection connection, StructureLocation location) {
        return opened(RdmaLocks.open(connection, location).flatMap(locks -> locks.acquire(Observer.lock(moment))));
    }

    /** Posts the requests that are in flight at their moments, all at once. */
    void postInFlight() {
        for (Participant participant : participants) {
            if (participant.moment.isInFlight()) {
                participant.stop.postOne();
            }
        }
    }

    /** Lets all participants go on. */
    void release() {
        participants.forEach(participant -> participant.stop.release());
    }
}
