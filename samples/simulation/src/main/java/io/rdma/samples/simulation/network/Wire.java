package io.rdma.samples.simulation.network;

import io.rdma.samples.simulation.schedule.Choices;
import io.rdma.samples.simulation.schedule.Owner;
import io.rdma.samples.simulation.schedule.Scheduler;
import io.rdma.samples.simulation.schedule.Trace;
import java.net.BindException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.function.Supplier;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/** The wire between the simulated hosts: it delivers datagrams and TCP segments after a time, or loses them. */
public final class Wire {
    private static final int FIRST_FREE_PORT = 32768;

    private final Scheduler scheduler;
    private final Choices choices;
    private final Trace trace;
    private final Owner owner = new Owner("wire");
    private final Map<InetSocketAddress, Datagrams> datagrams = new HashMap<>();
    private final Map<InetSocketAddress, List<GroupDatagrams>> groups = new HashMap<>(); // members as they joined
    private final Map<Path, Integer> repeated = new HashMap<>();
    private final Map<InetSocketAddress, TcpSocketImpl> listeners = new HashMap<>();
    private int nextPort = FIRST_FREE_PORT;
    private Weather usual;
    private Weather weather;
    private long calmAt; // time at which the weather is the usual one again

    /** Socket that gets datagrams. */
    interface Receiver {
        void arrived(InetSocketAddress from, byte[] datagram);
    }

    private record Path(InetAddress from, InetAddress to) {}

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

    /** Ends all bad weather, for good. */
    public void calmDown() {
        usual = Weather.FINE;
        setWeather(Weather.FINE, 1);
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
        groups.values()
                .forEach(members -> members.removeIf(member -> member.host().equals(host)));
    }

    void join(InetSocketAddress group, GroupDatagrams member) {
        groups.computeIfAbsent(group, none -> new ArrayList<>()).add(member);
    }

    void leave(InetSocketAddress group, GroupDatagrams member) {
        groups.getOrDefault(group, List.of()).remove(member);
    }

    /** Returns the addresses of a host's UDP sockets. */
    Stream<InetSocketAddress> bound(InetAddress host) {
        return datagrams.keySet().stream()
                .filter(at -> at.getAddress().equals(host))
                .sorted(Comparator.comparingInt(InetSocketAddress::getPort));
    }

    /** Returns the groups whose datagrams a host has sockets for. */
    Stream<InetSocketAddress> joined(InetAddress host) {
        return groups.entrySet().stream()
                .filter(group -> group.getValue().stream()
                        .anyMatch(member -> member.host().equals(host)))
                .map(Map.Entry::getKey)
                .sorted(Comparator.comparing(InetSocketAddress::toString));
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
        if (!to.getAddress().isMulticastAddress()) {
            carry(from, to.getAddress(), datagram, () -> Stream.ofNullable(datagrams.get(to)));
            return;
        }
        for (InetAddress host : members(to).map(GroupDatagrams::host).distinct().toList()) {
            Supplier<Stream<GroupDatagrams>> there =
                    () -> members(to).filter(member -> member.host().equals(host));
            if (host.equals(from.getAddress())) { // IP_MULTICAST_LOOP: within the host, so not by the wire
                deliver(from, there, datagram.clone(), 1);
            } else {
                carry(from, host, datagram.clone(), there);
            }
        }
    }

    private Stream<GroupDatagrams> members(InetSocketAddress group) {
        return groups.getOrDefault(group, List.of()).stream();
    }

    private void carry(
            InetSocketAddress from,
            InetAddress host,
            byte[] datagram,
            Supplier<? extends Stream<? extends Receiver>> to) {
        if (choices.below(1000) < weather.lost()) {
            trace.noteDetail("lost: a datagram from " + from);
            return;
        }
        if (choices.below(1000) < weather.damaged()) {
            datagram[choices.below(datagram.length)] ^= (byte) (1 << choices.below(8));
            trace.noteDetail("damaged: a datagram from " + from);
        }
        deliver(from, to, datagram, latency());
        if (choices.below(1000) < weather.repeated()) {
            trace.noteDetail("repeated: a datagram from " + from);
            repeated.merge(new Path(from.getAddress(), host), 1, Integer::sum);
            deliver(from, to, datagram, latency());
        }
    }

    /** Delivers a datagram to the sockets that are there when it arrives. */
    private void deliver(
            InetSocketAddress from, Supplier<? extends Stream<? extends Receiver>> to, byte[] datagram, long latency) {
        at(scheduler.now() + latency, () -> to.get().forEach(socket -> socket.arrived(from, datagram)));
    }

    /** Returns how many datagrams from one host to another arrived twice. */
    public int repeated(InetAddress from, InetAddress to) {
        return repeated.getOrDefault(new Path(from, to), 0);
    }
}
