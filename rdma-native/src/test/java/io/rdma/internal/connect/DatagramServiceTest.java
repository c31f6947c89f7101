package io.rdma.internal.connect;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.rdma.connect.ConnectionOptions;
import io.rdma.internal.engine.DeviceResources;
import io.rdma.internal.engine.Endpoint;
import io.rdma.testing.TestDevice;
import io.rdma.types.CmEventType;
import io.rdma.types.RdmaException;
import io.rdma.verbs.CmEvent;
import io.rdma.verbs.CmEventOf;
import java.net.InetSocketAddress;
import java.time.Duration;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** Failures of a datagram service. Each ends the endpoint, even if it happens before there is an endpoint. */
class DatagramServiceTest {
    private static final Duration PATIENCE = Duration.ofSeconds(60);
    private static final InetSocketAddress FREE = new InetSocketAddress("127.0.0.1", 0);

    private DeviceResources resources;
    private Endpoint endpoint;
    private DatagramService service;

    /** Makes the service before the endpoint that it serves. The endpoint has another service, which does not fail. */
    @BeforeEach
    void open() {
        resources = new DeviceResources(TestDevice.assumed("soft0"));
        service = new DatagramService(CmLoop.of(resources));
        service.identifier().bind(FREE);
        endpoint = DatagramBinding.bind(resources, ConnectionOptions.DEFAULT, FREE)
                .endpoint()
                .endpoint();
    }

    @AfterEach
    void close() {
        service.close();
        resources.close();
    }

    private CmEvent removal() {
        return CmEventOf.type(CmEventType.DEVICE_REMOVAL, 0, service.identifier());
    }

    private void endsBecause(String cause) {
        await().atMost(PATIENCE).until(() -> endpoint.closed().isDone());
        assertThat(endpoint.failure()).isInstanceOf(RdmaException.class).hasMessageContaining(cause);
    }

    @Test
    void aRemovalEndsTheEndpoint() {
        service.serve(endpoint);
        assertThat(endpoint.isClosing()).isFalse();
        service.accept(removal());
        endsBecause("the device was removed");
    }

    @Test
    void aRemovalBeforeTheEndpointExistsEndsItToo() {
        service.accept(removal());
        service.serve(endpoint);
        endsBecause("the device was removed");
    }

    @Test
    void theEndOfTheEventsBeforeTheEndpointExistsEndsItToo() {
        Error cause = new OutOfMemoryError("a test's");
        service.lost(cause);
        service.serve(endpoint);
        endsBecause("cannot be received");
        assertThat(endpoint.failure()).hasCause(cause);
    }

    @Test
    void theFirstFailureIsTheCause() {
        service.accept(removal());
        service.lost(new OutOfMemoryError("a test's"));
        service.serve(endpoint);
        endsBecause("the device was removed");
    }
}
