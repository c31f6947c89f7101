import io.rdma.reactive.DisposableServer;
import io.rdma.reactive.RdmaClient;
import io.rdma.reactive.RdmaConnection;
import io.rdma.reactive.RdmaServer;

/** README.md's Java, with the names that it leaves out. */
class Readme {
    public static void main(String[] args) {
        // README
        server.disposeNow();
    }
}
