package io.rdma.samples.simulation.world;

import io.rdma.samples.simulation.network.Weather;
import io.rdma.samples.simulation.schedule.Bounds;
import io.rdma.samples.simulation.schedule.Choices;
import io.rdma.samples.simulation.schedule.Simulation.Pauses;
import io.rdma.testing.seam.SeamFault;
import java.util.List;
import java.util.stream.IntStream;

/**
 * What happens in a run, apart from the order of the threads: clients that exchange streams with one server, and
 * faults.
 *
 * @param seed of the order of the threads and of latencies
 * @param clients what each client does
 * @param weather of the wire from the beginning on
 * @param faults what goes wrong, and when
 * @param pauses of threads
 * @param reception how the server receives
 * @param connecting how the hosts connect
 * @param frontEnd of the server
 * @param datagrams sockets for datagrams beside the clients and the server
 * @param hostFaults what fails at the seam of a host
 * @param structures one-sided structures at the server
 */
public record Plan(
        long seed,
        List<Client> clients,
        Weather weather,
        List<Fault> faults,
        Pauses pauses,
        Link.Reception reception,
        Connecting connecting,
        FrontEnd.Kind frontEnd,
        List<DatagramPlan> datagrams,
        List<HostFault> hostFaults,
        StructurePlan structures) {
    /** Nanoseconds after the beginning until which faults begin. */
    static final long LAST_FAULT = 3_000_000;

    public Plan {
        Bounds.atLeast(1, clients.size(), "the number of clients");
    }

    /**
     * One client's streams.
     *
     * @param up number of messages to the server, at least 1
     * @param down number of messages from the server
     * @param longest bytes of the longest message
     * @param stream whether the client sends a publisher, or one message after the other
     * @param closesFirst whether the client closes when it has received everything; otherwise the server does
     * @param reception how the client receives
     * @param memory what it does with the server's memory meanwhile
     * @param retries how often it connects again after a loss
     * @param trouble what its application does wrong
     * @param frontEnd of the client
     * @param elsewhere whether a publisher emits on threads of its own, and so sends beside the completion loop
     */
    public record Client(
            int up,
            int down,
            int longest,
            boolean stream,
            boolean closesFirst,
            Link.Reception reception,
            MemoryPlan memory,
            int retries,
            Trouble trouble,
            FrontEnd.Kind frontEnd,
            boolean elsewhere) {
        public Client {
            Bounds.atLeast(1, up, "up");
            Bounds.atLeast(0, down, "down");
            Bounds.atLeast(1, longest, "longest");
            Bounds.atLeast(0, retries, "retries");
        }

        Client with(FrontEnd.Kind other) {
            return new Client(
                    up, down, longest, stream, closesFirst, reception, memory, retries, trouble, other, elsewhere);
        }

        Client withoutTrouble() {
            return new Client(
                    up,
                    down,
                    longest,
                    stream,
                    closesFirst,
                    reception,
                    memory,
                    retries,
                    Trouble.NONE,
                    frontEnd,
                    elsewhere);
        }

        /** Returns a client that does nothing but send and receive streams. */
        static Client ofStreams(int up, int down, int longest, boolean stream, boolean closesFirst) {
            return new Client(
                    up,
                    down,
                    longest,
                    stream,
                    closesFirst,
                    Link.Reception.ALL,
                    MemoryPlan.NONE,
                    0,
                    Trouble.NONE,
                    FrontEnd.Kind.REACTOR,
                    false);
        }
    }

    /** Something that goes wrong. */
    public enum FaultKind {
        /** The wire loses everything for some time. */
        CUT,
        /** The wire loses, repeats and damages some datagrams for some time. */
        STORM,
        /** The process of a client ends; its kernel closes its TCP connections. */
        KILL,
        /** The host of a client loses power. */
        POWER,
        /** A host stands still, like a virtual machine that moves. */
        PAUSE,
        /** The wall clock of a host jumps, forwards or back. */
        CLOCK,
        /** A client closes its connection before it is done. */
        CLOSE,
        /** A client aborts its connection. */
        ABORT,
        /** A client cancels one of its calls. */
        CANCEL,
        /** The server stops while it serves. */
        STOP,
        /** All queue pairs of the server's device end. */
        DEVICE,
        /** All completion queues of the server's device end. */
        COMPLETION_QUEUES
    }

    /**
     * One fault.
     *
     * @param kind what happens
     * @param at nanoseconds after the beginning
     * @param target number of the client; of a fault of any host, one more than the last is the server
     * @param lasts nanoseconds, of a fault that ends; of a clock, how far it jumps; of a cancel, which call
     * @param step number of the step of a thread before which it happens, in place of a time; 0 for a time
     */
    public record Fault(FaultKind kind, long at, int target, long lasts, long step) {
        public Fault {
            Bounds.atLeast(0, step, "step");
            Bounds.atLeast(0, at, "at");
            Bounds.atLeast(0, target, "target");
            Bounds.atLeast(1, lasts, "lasts");
        }

        /** Returns a fault at a time. */
        static Fault at(FaultKind kind, long at, int target, long lasts) {
            return new Fault(kind, at, target, lasts, 0);
        }
    }

    /** Returns a plan of streams and faults. */
    static Plan ofStreams(long seed, List<Client> clients, Weather weather, List<Fault> faults, Pauses pauses) {
        Choices kinds = new Choices(seed).split();
        return new Plan(
                seed,
                clients.stream()
                        .map(client -> client.with(DrawnPlan.frontEnd(kinds)))
                        .toList(),
                weather,
                faults,
                pauses,
                Link.Reception.ALL,
                Connecting.usual(clients.size()),
                DrawnPlan.frontEnd(kinds),
                List.of(),
                List.of(),
                StructurePlan.NONE);
    }

    /** Returns whether nothing goes wrong, so that nothing may fail. */
    boolean isCalm() {
        return faults.isEmpty()
                && hostFaults.isEmpty()
                && weather.equals(Weather.FINE)
                && clients.stream().noneMatch(client -> client.trouble.kind().endsStream());
    }

    /**
     * Returns whether the device of a host fails, or a call of it.
     *
     * @param host 0 for the server, the clients follow
     */
    boolean failsDevice(int host) {
        return !seamFaults(host).isEmpty()
                || faults.stream()
                        .filter(fault ->
                                fault.kind() == FaultKind.DEVICE || fault.kind() == FaultKind.COMPLETION_QUEUES)
                        .anyMatch(fault -> (fault.target() + 1) % (clients.size() + 1) == host);
    }

    /**
     * Returns the faults at the seam of a host.
     *
     * @param host 0 for the server, the clients follow
     */
    List<SeamFault> seamFaults(int host) {
        return hostFaults.stream()
                .filter(fault -> fault.host() % (clients.size() + 1) == host) // a smaller plan has fewer clients
                .map(HostFault::fault)
                .toList();
    }

    /** Returns this plan with other faults. */
    Plan with(List<Fault> other) {
        return with(clients, weather, other, hostFaults);
    }

    /** Returns this plan in good weather and without faults. */
    Plan withoutFaults() {
        List<Client> good = clients.stream().map(Client::withoutTrouble).toList();
        return with(good, Weather.FINE, List.of(), List.of());
    }

    private Plan with(List<Client> others, Weather other, List<Fault> at, List<HostFault> calls) {
        return new Plan(seed, others, other, at, pauses, reception, connecting, frontEnd, datagrams, calls, structures);
    }

    /** Returns the number of messages in both directions, of the clients that the server admits. */
    int messages() {
        return IntStream.range(0, clients.size())
                .filter(connecting::admits)
                .map(i -> clients.get(i).up + clients.get(i).down)
                .sum();
    }

    /** Returns the nanoseconds for which a client's host stands still. */
    long pausesOf(int client) {
        return faults.stream()
                .filter(fault -> fault.kind == FaultKind.PAUSE && fault.target == client)
                .mapToLong(Fault::lasts)
                .sum();
    }

    /** Returns the plan of a seed. */
    public static Plan of(long seed) {
        return DrawnPlan.of(seed);
    }
}
