package io.rdma.internal.connect;

import java.lang.System.Logger;
import java.net.InetSocketAddress;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

// Invariant: the home gets its outcome exactly once, whatever is thrown. Before it was asked for, nobody waits for one.

/** One client on its way from a listener to its {@link ConnectionHome}. Used by the thread of its exchange. */
final class Arrival {
    private final ConnectionHomes homes;
    private @Nullable ConnectionHome home;

    Arrival(ConnectionHomes homes) {
        this.homes = homes;
    }

    /** Asks for the home of this client, once. */
    ConnectionHome home(InetSocketAddress client) {
        ConnectionHome made = homes.homeFor(client);
        home = made;
        return made;
    }

    /** Passes the connection to its home. */
    void connected(EstablishedConnection connection) {
        try {
            Objects.requireNonNull(home).connected(connection);
        } catch (Throwable e) { // thrown by the application: it ends only this connection
            RdmaListener.log().log(Logger.Level.ERROR, "the connection handler threw; its connection is closed", e);
            connection.endpoint().abort(e);
            connection.endpoint().dropUnclaimed();
        }
    }

    /** Tells the home, if there is one, that the client was not connected. */
    void failed(Throwable cause) {
        ConnectionHome asked = home;
        if (asked != null) {
            try {
                asked.failed(cause);
            } catch (Throwable e) {
                RdmaListener.log().log(Logger.Level.ERROR, "a handler of a failed connection threw", e);
            }
        }
    }
}
