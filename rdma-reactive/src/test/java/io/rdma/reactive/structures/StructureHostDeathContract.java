package io.rdma.reactive.structures;

import static io.rdma.reactive.structures.StructuresFixture.PATIENCE;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.catchThrowable;

import io.rdma.connect.RdmaResources;
import io.rdma.engine.ConnectionClosedException;
import io.rdma.reactive.RdmaConnection;
import io.rdma.testing.JavaProcess;
import io.rdma.testing.TestDevice;
import io.rdma.testing.structures.DoomedOperation;
import io.rdma.testing.structures.Moment;
import io.rdma.types.WorkCompletionException;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Contract of structures whose host dies by SIGKILL, while clients are at each {@link Moment} of each operation. */
@Timeout(300)
abstract class StructureHostDeathContract {
    private JavaProcess doomed;
    private DoomedClients clients;

    /** Returns the name of the device. */
    abstract String device();

    @BeforeEach
    void start() throws Exception {
        clients = new DoomedClients(device());
        doomed = new JavaProcess(DoomedHost.class, device());
    }

    @AfterEach
    void nothingIsLeft() {
        if (doomed != null) {
            doomed.close();
            clients.release();
            clients.participants().forEach(one -> one.connection().disposeNow(PATIENCE));
            clients.resources.close();
            TestDevice.awaitClosed(clients.resources.context());
        }
    }

    private static void isOver(RdmaConnection connection) {
        connection.onDispose().onErrorComplete().block(PATIENCE);
        assertThat(connection.endpoint().inFlight()).isZero();
        assertThat(connection.endpoint().sendBuffers().leased()).isZero();
    }

    @Test
    void operationsEndByAnErrorAndAnotherHostWorks() throws Exception {
        int port = Integer.parseInt(doomed.await("listening"));
        Observer observer = Observer.of(clients.resources, port);
        clients.connect(port);
        CompletableFuture<Long> waiting = observer.records() // for a claim that nobody ends
                .put(claimed().place(), new byte[1])
                .toFuture();
        clients.postInFlight();
        doomed.kill();
        doomed.ended(JavaProcess.KILLED);
        clients.release();
        for (DoomedClients.Participant participant : clients.participants()) {
            endsAsItMay(participant);
            isOver(participant.connection());
        }
        isLost(waiting);
        assertThatThrownBy(() -> observer.counters().get(0).block(PATIENCE))
                .isInstanceOf(ConnectionClosedException.class);
        isOver(observer.connection());
        anotherHostWorks();
    }

    /** Returns the first moment at which a record is claimed for good. */
    private static Moment claimed() {
        return Moment.of(DoomedOperation.RECORD_PUT).stream()
                .filter(moment -> moment.posted() == 2)
                .findFirst()
                .orElseThrow();
    }

    private static void endsAsItMay(DoomedClients.Participant participant) {
        switch (participant.moment().effect()) {
            case CERTAIN -> assertThat(participant.end()).isCompleted();
            case NONE -> isLost(participant.end());
            case POSSIBLE -> {
                if (catchThrowable(() -> participant.end().get(PATIENCE.toSeconds(), TimeUnit.SECONDS)) != null) {
                    isLost(participant.end());
                }
            }
        }
    }

    private static void isLost(CompletableFuture<?> end) {
        assertThatThrownBy(() -> end.get(PATIENCE.toSeconds(), TimeUnit.SECONDS))
                .cause()
                .isInstanceOfAny(ConnectionClosedException.class, WorkCompletionException.class);
    }

    private void anotherHostWorks() throws InterruptedException {
        RdmaResources resources = RdmaResources.open(TestDevice.assumed(device()));
        DoomedHost host = new DoomedHost(resources);
        Observer next = Observer.of(clients.resources, host.server.port());
        assertThat(next.records().get(0).block(PATIENCE).value()).isEqualTo(Observer.OLD_RECORD);
        assertThat(next.table().remove(Observer.key(0)).block(PATIENCE)).isTrue();
        assertThat(next.locks().withLease(0, RdmaLease::renew).block(PATIENCE)).isTrue();
        assertThat(host.counters.get(0)).isEqualTo(Observer.COUNT);
        next.connection().disposeNow(PATIENCE);
        isOver(next.connection());
        host.close();
        resources.close();
        TestDevice.awaitClosed(resources.context());
    }
}
