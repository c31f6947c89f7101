package io.rdma.netty.clients;

import static org.assertj.core.api.Assertions.assertThat;

import com.datastax.oss.driver.api.core.CqlSession;
import com.datastax.oss.driver.api.core.config.DefaultDriverOption;
import com.datastax.oss.driver.api.core.config.DriverConfigLoader;
import com.datastax.oss.driver.api.core.cql.Row;
import com.datastax.oss.simulacron.common.cluster.ClusterSpec;
import com.datastax.oss.simulacron.common.stubbing.PrimeDsl;
import com.datastax.oss.simulacron.server.BoundCluster;
import com.datastax.oss.simulacron.server.NodePerPortResolver;
import com.datastax.oss.simulacron.server.Server;
import io.rdma.netty.RdmaServerSocketChannel;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletionStage;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;

/** Cassandra's driver for Java over a device. The server is Simulacron, which speaks the protocol of Cassandra. */
abstract class CassandraContract extends ClientContract {
    private static final String QUERY = "SELECT name, size FROM things";

    private @Nullable Server server;
    private @Nullable CqlSession session;

    @BeforeAll
    void start() throws IOException {
        server = Server.builder()
                .withEventLoopGroup(loops(), RdmaServerSocketChannel.class)
                .withAddressResolver(new NodePerPortResolver(new byte[] {127, 0, 0, 1}, free()))
                .build();
        BoundCluster cluster = server.register(ClusterSpec.builder().withNodes(1));
        cluster.prime(PrimeDsl.when(QUERY)
                .then(PrimeDsl.rows()
                        .row("name", "nail", "size", 3)
                        .row("name", "screw", "size", 4)
                        .columnTypes("name", "varchar", "size", "int")));
        session = new RdmaSessionBuilder(loops())
                .addContactPoint((InetSocketAddress) cluster.node(0).getAddress())
                .withLocalDatacenter("dc1")
                .withConfigLoader(patient())
                .build();
    }

    private static DriverConfigLoader patient() {
        return DriverConfigLoader.programmaticBuilder()
                .withDuration(DefaultDriverOption.CONNECTION_CONNECT_TIMEOUT, BOUND)
                .withDuration(DefaultDriverOption.CONNECTION_INIT_QUERY_TIMEOUT, BOUND)
                .withDuration(DefaultDriverOption.CONTROL_CONNECTION_TIMEOUT, BOUND)
                .withDuration(DefaultDriverOption.REQUEST_TIMEOUT, BOUND)
                .withBoolean(DefaultDriverOption.METADATA_SCHEMA_ENABLED, false)
                .withInt(DefaultDriverOption.NETTY_IO_SIZE, 1) // unused
                .withInt(DefaultDriverOption.NETTY_IO_SHUTDOWN_QUIET_PERIOD, 0)
                .withInt(DefaultDriverOption.NETTY_ADMIN_SHUTDOWN_QUIET_PERIOD, 0)
                .build();
    }

    private static int free() throws IOException {
        try (ServerSocket socket = new ServerSocket(0)) {
            return socket.getLocalPort();
        }
    }

    @AfterAll
    void end() {
        if (session != null) {
            session.close();
        }
        if (server != null) {
            server.close();
        }
    }

    @Test
    void rowsAreRead() {
        List<String> read = new ArrayList<>();
        for (Row row : session.execute(QUERY)) {
            read.add(row.getString("name") + " " + row.getInt("size"));
        }
        assertThat(read).containsExactly("nail 3", "screw 4");
    }

    @Test
    void manyQueriesShareAConnection() {
        List<CompletionStage<?>> asked = new ArrayList<>();
        for (int number = 0; number < 500; number++) {
            asked.add(session.executeAsync(QUERY));
        }
        for (CompletionStage<?> one : asked) {
            assertThat(one.toCompletableFuture()).succeedsWithin(BOUND);
        }
    }
}
