package io.rdma.test;

import io.rdma.reactive.DisposableServer;
import io.rdma.reactive.RdmaClient;
import io.rdma.reactive.RdmaServer;
import java.util.Objects;
import java.util.function.UnaryOperator;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.extension.BeforeAllCallback;
import org.junit.jupiter.api.extension.ExtensionContext;

/**
 * JUnit extension that runs a server of rdma-reactive on the tests' network, and otherwise does what {@link
 * RdmaExtension} does. In a static field with {@code @RegisterExtension} the server runs for all tests of the class, in
 * another field for each test anew. Clients that a test takes as parameters connect to it.
 */
public final class RdmaServerExtension extends RdmaExtension implements BeforeAllCallback {
    private final UnaryOperator<RdmaServer> change;
    private boolean forTheClass;
    private String owner = ""; // class that the server is bound for
    private volatile @Nullable Running running;

    private record Running(TestNetwork network, DisposableServer server) {}

    private RdmaServerExtension(UnaryOperator<RdmaServer> change) {
        this.change = change;
    }

    /**
     * Creates the extension.
     *
     * @param change sets the handler and options of the server, which is on the tests' device and a free port of the
     *     loopback address
     * @return for a field with {@code @RegisterExtension}
     */
    public static RdmaServerExtension of(UnaryOperator<RdmaServer> change) {
        return new RdmaServerExtension(Objects.requireNonNull(change, "change"));
    }

    /**
     * Returns the server.
     *
     * @return listening
     * @throws IllegalStateException before the first test, and after the last one
     */
    public DisposableServer server() {
        return running().server();
    }

    /**
     * Returns a client of the server. The connections that it makes are disposed after the test.
     *
     * @return with the server's device, address and port
     * @throws IllegalStateException before the first test, and after the last one
     */
    public RdmaClient client() {
        Running now = running();
        return ReactorFixtures.client(now.network()).port(now.server().port());
    }

    private Running running() {
        Running now = running;
        if (now == null) {
            throw new IllegalStateException("The server runs only during tests: annotate the field of the"
                    + " RdmaServerExtension with @RegisterExtension, and use it in tests and methods for set-up");
        }
        return now;
    }

    private void bind(ExtensionContext context) {
        TestNetwork network = network(context);
        DisposableServer server = change.apply(ReactorFixtures.server(network)).bindNow(TestNetwork.PATIENCE);
        network.setPort(server.port());
        running = new Running(network, server);
    }

    /** Binds the server for a class. JUnit calls this for each class nested in it as well, which has its server. */
    @Override
    public void beforeAll(ExtensionContext context) {
        forTheClass = true;
        Running now = running;
        if (now == null || now.network() != network(context)) {
            owner = context.getUniqueId();
            bind(context);
        }
    }

    @Override
    public void beforeEach(ExtensionContext context) throws Exception {
        super.beforeEach(context);
        if (!forTheClass) {
            bind(context);
        }
    }

    @Override
    public void afterEach(ExtensionContext context) throws Exception {
        if (!forTheClass) {
            running = null;
        }
        super.afterEach(context);
    }

    @Override
    public void afterAll(ExtensionContext context) throws Exception {
        if (context.getUniqueId().equals(owner)) {
            running = null;
        }
        super.afterAll(context);
    }
}
