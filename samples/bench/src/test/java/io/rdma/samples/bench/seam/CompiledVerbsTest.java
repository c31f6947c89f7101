package io.rdma.samples.bench.seam;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import io.rdma.buffer.RegisteredBuffer;
import io.rdma.connect.RdmaResources;
import io.rdma.engine.IdleStrategy;
import io.rdma.engine.ResourceOptions;
import io.rdma.reactive.DisposableServer;
import io.rdma.reactive.RdmaClient;
import io.rdma.reactive.RdmaConnection;
import io.rdma.reactive.RdmaServer;
import io.rdma.samples.bench.seam.CompiledC.Program;
import io.rdma.types.AccessFlag;
import io.rdma.types.RemoteMemory;
import io.rdma.types.WorkCompletionException;
import io.rdma.verbs.MemoryRegion;
import java.lang.foreign.ValueLayout;
import java.nio.file.Path;
import java.time.Duration;
import java.util.EnumSet;
import java.util.Optional;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** Test of the device in C. A device that did less than it seems to would make the figures of the engine wrong. */
class CompiledVerbsTest {
    private static final Duration PATIENCE = Duration.ofSeconds(30);
    private static final String TEXT = "by a device in C";

    @TempDir
    private static Path directory;

    private static Optional<CompiledC> compiled = Optional.empty();

    @BeforeAll
    static void compile() throws Exception {
        compiled = CompiledC.compile(directory.resolve("c"));
        assumeTrue(compiled.isPresent(), "this machine has no C compiler (cc)");
    }

    private static RdmaResources open() {
        return RdmaResources.open(
                new CompiledVerbs(compiled.orElseThrow().library()).device(),
                ResourceOptions.DEFAULT.withIdleStrategy(IdleStrategy.BUSY_SPIN));
    }

    private static DisposableServer server(RdmaResources resources) {
        return RdmaServer.create()
                .host("127.0.0.1")
                .port(0)
                .resources(resources)
                .handle(peer -> peer.sendString(peer.receive().asString()))
                .bindNow(PATIENCE);
    }

    private static RdmaConnection connect(RdmaResources resources, int port) {
        return RdmaClient.create()
                .host("127.0.0.1")
                .port(port)
                .resources(resources)
                .connectNow(PATIENCE);
    }

    @Test
    void messageArrives() {
        try (RdmaResources resources = open()) {
            RdmaConnection connection = connect(resources, server(resources).port());
            String answer = connection
                    .send(TEXT)
                    .then(connection.receive().asString().next())
                    .block(PATIENCE);
            assertThat(answer).isEqualTo(TEXT);
        }
    }

    @Test
    void writeChangesTheTargetAndIsRefusedBehindIt() {
        try (RdmaResources resources = open()) {
            RdmaConnection connection = connect(resources, server(resources).port());
            try (MemoryRegion memory = resources
                            .domain()
                            .allocate(16, EnumSet.of(AccessFlag.LOCAL_WRITE, AccessFlag.REMOTE_WRITE));
                    RegisteredBuffer source = RegisteredBuffer.of(memory, 0, 8)) {
                RemoteMemory target = memory.remote().slice(8, 8);
                source.segment().set(ValueLayout.JAVA_LONG, 0, 42);
                connection.write(source, target).block(PATIENCE);
                assertThat(memory.segment().get(ValueLayout.JAVA_LONG, 8)).isEqualTo(42);
                RemoteMemory behind = new RemoteMemory(target.address() + 8, 8, target.rkey());
                assertThatThrownBy(() -> connection.write(source, behind).block(PATIENCE))
                        .isInstanceOf(WorkCompletionException.class);
            }
        }
    }

    @ParameterizedTest
    @EnumSource
    void programOfCMeasures(Program program) throws Exception {
        assertThat(compiled.orElseThrow().measure(program)).isPositive();
    }
}
