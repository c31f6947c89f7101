package io.rdma.testing;

import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.net.Socket;

/** Relay of one TCP connection of this host, which a test can break, so that both ends find it reset. */
public final class TcpRelay implements AutoCloseable {
    private final ServerSocket listening;
    private final Socket onward = new Socket();
    private volatile Socket accepted;

    /**
     * Starts to listen.
     *
     * @param target end to which the connection is relayed
     */
    public TcpRelay(InetSocketAddress target) throws IOException {
        listening = new ServerSocket(0, 1, InetAddress.getLoopbackAddress());
        Thread.ofVirtual().start(() -> relay(target));
    }

    /** Returns the address to connect to. */
    public InetSocketAddress address() {
        return (InetSocketAddress) listening.getLocalSocketAddress();
    }

    private void relay(InetSocketAddress target) {
        try {
            Socket from = listening.accept();
            accepted = from;
            onward.connect(target);
            Thread.ofVirtual().start(() -> pump(from, onward));
            pump(onward, from);
        } catch (IOException e) {
            // closed before it was used
        }
    }

    private static void pump(Socket from, Socket to) {
        try {
            from.getInputStream().transferTo(to.getOutputStream());
            to.shutdownOutput();
        } catch (IOException e) {
            // the test has reset the connection
        }
    }

    /** Resets the connection at both ends. */
    public void reset() throws IOException {
        for (Socket end : new Socket[] {accepted, onward}) {
            end.setSoLinger(true, 0);
            end.close();
        }
    }

    @Override
    public void close() throws IOException {
        listening.close();
        onward.close();
        Socket from = accepted;
        if (from != null) {
            from.close();
        }
    }
}
