package io.rdma.samples.simulation.network;

import io.rdma.samples.simulation.schedule.Choices;
import io.rdma.samples.simulation.schedule.Owner;
import io.rdma.samples.simulation.schedule.Scheduler;
import io.rdma.samples.simulation.schedule.Trace;
import java.net.BindException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.util.HashMap;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** The wire between the simulated hosts: it delivers datagrams and TCP segments after a time, or loses them. */
public final class Wire {
    private static final int FIRST_FREE_PORT = 32768;

    private final Scheduler scheduler;
    private final Choices choices;
    private final Trace trace;
    private final Owner owner = new Owner("wire");
    private final Map<InetSocketAddress, Datagrams> datagrams = new HashMap<>();
    private final Map<InetSocketAddress, TcpSocketImpl> listeners = new HashMap<>();
    private int nextPort = FIRST_FREE_PORT;
    private final Weather usual;
    private Weather weather;
    private long calmAt; // time at which the weather is the usual one again

    /**
     * @param usual what the wire does unless something else is set for a time
     */
    public Wire(Scheduler scheduler, Choices choices, Trace trace, Weather usual) {
        this.usual = usual;
        weather = usual;
        this.scheduler = scheduler;
        this.choices = choices;
        this.trace = trace;
    }

    Scheduler scheduler() {
        return scheduler;
    }

    /** Sets what the wire does for a time with everything that is sent, unless it is set again meanwhile. */
    public void setWeather(Weather now, long nanos) {
        weather = now;
        calmAt = scheduler.after(nanos);
        trace.note("the wire: " + now);
        long end = calmAt;
        at(end, () -> {
            if (end == calmAt) {
                weather = usual;
                trace.note("the wire: " + usual);
            }
        });
    }

    /** Runs something on the wire's behalf: what is under way arrives even if its sender has died. */
    void at(long due, Runnable task) {
        scheduler.as(owner, () -> scheduler.at(due, task));
    }

    private long latency() {
        return weather.shortest() + choices.below(weather.longest() - weather.shortest() + 1);
    }

    /** Returns when a TCP segment arrives that is sent now, behind one that arrives at a time. TCP loses nothing. */
    long arrival(long behind) {
        long sent = weather.cutsTcp() ? calmAt : scheduler.now();
        return Math.max(behind + 1, sent + latency());
    }

    InetSocketAddress bind(InetAddress address, int port, Datagrams socket) throws BindException {
        InetSocketAddress at = new InetSocketAddress(address, port == 0 ? nextPort++ : port);
        if (datagrams.putIfAbsent(at, socket) != null) {
            throw new BindException(at + " is in use");
        }
        return at;
    }

    void unbind(InetSocketAddress at) {
        datagrams.remove(at);
    }

    void unbindAll(InetAddress host) {
        datagrams.keySet().removeIf(at -> at.getAddress().equals(host));
    }

    int freePort() {
        return nextPort++;
    }

    void listen(InetSocketAddress at, TcpSocketImpl listener) throws BindException {
        if (listeners.putIfAbsent(at, listener) != null) {
            throw new BindException(at + " is in use");
        }
    }

    void unlisten(InetSocketAddress at) {
        listeners.remove(at);
    }

    @Nullable
    TcpSocketImpl listener(InetSocketAddress at) {
        return listeners.get(at);
    }

    void send(InetSocketAddress from, InetSocketAddress to, byte[] datagram) {
        if (choices.below(1000) < weather.lost()) {
            trace.note("lost: a datagram from " + from);
            return;
        }
        if (choices.below(1000) < weather.damaged()) {
            datagram[choices.below(datagram.length)] ^= (byte) (1 << choices.below(8));
            trace.note("damaged: a datagram from " + from);
        }
        deliver(from, to, datagram);
        if (choices.below(1000) < weather.repeated()) {
            trace.note("repeated: a datagram from " + from);
            deliver(from, to, datagram);
        }
    }

    private void deliver(InetSocketAddress from, InetSocketAddress to, byte[] datagram) {
        at(scheduler.now() + latency(), () -> {
            Datagrams target = datagrams.get(to);
            if (target != null) {
                target.arrived(from, datagram);
            }
        });
    }
}
