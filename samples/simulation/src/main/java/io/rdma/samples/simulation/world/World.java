package io.rdma.samples.simulation.world;

import io.rdma.connect.RdmaResources;
import io.rdma.internal.engine.DeviceResources;
import io.rdma.samples.simulation.network.Wire;
import io.rdma.samples.simulation.schedule.Choices;
import io.rdma.samples.simulation.schedule.Simulation;
import io.rdma.samples.simulation.schedule.Trace;
import io.rdma.testing.seam.SeamFault;
import io.rdma.verbs.DeviceOf;
import java.net.InetSocketAddress;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/** One run: a server and its clients on hosts of their own, what they exchange, and the faults. */
public final class World {
    static final int PORT = 7471;
    /** Every wait of the library and of its users is bounded, and all bounds together are less. */
    private static final Duration LONGEST = Duration.ofMinutes(10);
    /** Twenty times those of any good run. Threads that spin come to them before the time is over. */
    private static final long MOST_STEPS = 2_500_000;

    /** Time for what still happens due to a fault, when no other begins any more. */
    private static final Duration AFTER_FAULTS = Duration.ofNanos(100 * Plan.LAST_FAULT);

    /** Longest message of the client after the last fault. */
    private static final int LONGEST_MESSAGE = 512;

    /** Bound of each connect and close. */
    static final Duration PATIENCE = Duration.ofSeconds(60);

    /** Runs before the first: they make the objects that exist once in a JVM, such as caches. */
    private static final int REHEARSALS = 3;

    static {
        Surroundings.prepare();
        for (int i = 1; i <= REHEARSALS; i++) {
            run(Plan.of(-i), false);
        }
    }

    private final Plan plan;
    private final Simulation simulation;
    private final Wire wire;
    private final Verdict verdict;
    private final Host server;
    private final List<ClientProgram> clients = new ArrayList<>();
    private final List<Session> sessions = new ArrayList<>();
    private final List<Host> hosts = new ArrayList<>();
    private final Choices later;
    private FrontEnd.@Nullable Service service;
    private final @Nullable Intruder intruder;
    private final DatagramRun datagrams;
    private @Nullable StructureHost structures;
    private int handling;
    private boolean stopped;
    private long begun; // number of steps before it; 0 before the clients have begun

    private World(Plan plan, Trace.Detail told) {
        this.plan = plan;
        Choices choices = new Choices(~plan.seed());
        simulation = new Simulation(choices.below(Long.MAX_VALUE), plan.pauses(), told);
        wire = new Wire(simulation.scheduler(), choices.split(), simulation.trace(), plan.weather());
        verdict = new Verdict(simulation.trace(), plan);
        server = host("server", choices, plan.seamFaults(0));
        for (int i = 0; i < plan.clients().size(); i++) {
            client(plan.clients().get(i), plan.connecting().clients().get(i), choices, plan.seamFaults(i + 1));
        }
        List<Host> programs = List.copyOf(hosts);
        Host last = host("intruder", choices, List.of());
        intruder = plan.connecting().intruder() ? new Intruder(last, server, verdict) : null;
        datagrams = new DatagramRun(plan, wire, programs, choices.split(), verdict);
        later = choices.split();
    }

    private Host host(String name, Choices choices, List<SeamFault> faults) {
        Host host = new Host(simulation, wire, choices.split(), name, hosts.size() + 1, faults);
        hosts.add(host);
        return host;
    }

    private ClientProgram client(Plan.Client client, Terms terms, Choices choices, List<SeamFault> faults) {
        int number = clients.size();
        ClientProgram program =
                new ClientProgram(number, client, terms, host("client " + number, choices, faults), this, verdict);
        clients.add(program);
        return program;
    }

    /**
     * Result of a run.
     *
     * @param verdict what was wrong
     * @param simulation with its trace
     * @param begun number of steps before the clients began
     * @param calls most calls of a session
     */
    public record Run(Verdict verdict, Simulation simulation, long begun, int calls) {}

    /** Runs a plan, and tells its story if that is wanted. */
    public static Run run(Plan plan, boolean told) {
        return run(plan, told ? Trace.Detail.STORY : Trace.Detail.NONE);
    }

    /** Runs a plan. */
    public static Run run(Plan plan, Trace.Detail told) {
        World world = new World(plan, told);
        Surroundings.tell(world.simulation.trace());
        world.server.run("main", world::serve);
        world.datagrams.start();
        boolean finished = world.simulation.run(LONGEST, MOST_STEPS);
        Surroundings.tell(null);
        world.datagrams.close();
        world.hosts.forEach(Host::tellFault);
        world.verdict.close(finished, world.hosts, world.simulation.scheduler());
        world.noConversationsLeft();
        world.verdict.check(!plan.isCalm() || world.verdict.messages() == plan.messages(), "not every message arrived");
        Throwable uncaught = world.simulation.uncaught();
        if (uncaught != null && !world.verdict.isInjected(uncaught)) {
            world.verdict.unexpected("a thread", uncaught);
        }
        int calls = world.sessions.stream().mapToInt(Session::calls).max().orElse(0);
        return new Run(world.verdict, world.simulation, world.begun, calls);
    }

    /** Checks that the connection managers of the living hosts have forgotten all identifiers and peers. */
    private void noConversationsLeft() {
        hosts.stream().filter(host -> host.isAlive() && !host.isLeftByRefusal()).forEach(host -> {
            int left = host.verbs().rdmacm().inUse();
            verdict.check(left == 0, "the connection manager of " + host + " keeps " + left + " things");
        });
    }

    static RdmaResources open(Host host, Terms terms) {
        return RdmaResources.open(DeviceOf.only(host.seam()), terms.resources());
    }

    Plan plan() {
        return plan;
    }

    /** Returns the sessions by number. */
    List<Session> sessions() {
        return sessions;
    }

    /** Makes the session of a new connection. */
    Session session(ClientProgram client, Link link) {
        Session made = new Session(sessions.size(), client, link, this, verdict);
        sessions.add(made);
        return made;
    }

    /** Returns whether the server stopped while it served. */
    boolean isStopped() {
        return stopped;
    }

    /** Returns whether a client cancelled its connect, so that its connection ends unused. */
    boolean hasGivenUp() {
        return clients.stream().anyMatch(ClientProgram::hasGivenUp);
    }

    /** Returns whether a call of the seam of the server was made to fail. */
    boolean isServerStruck() {
        return server.isStruck();
    }

    InetSocketAddress address() {
        return new InetSocketAddress(server.address(), PORT);
    }

    FrontEnd frontEnd(Host host, FrontEnd.Kind kind) {
        return kind == FrontEnd.Kind.REACTOR
                ? new ReactorFrontEnd(host, verdict)
                : new CoroutinesFrontEnd(host, verdict, kind);
    }

    /** Serves the clients, and opens again what a fault has broken, until a new connection works. */
    private void serve() {
        boolean works = false;
        for (int tries = 3 + plan.hostFaults().size(); tries > 0 && !works; tries--) {
            works = attempt();
        }
        verdict.check(works, "no new connection works after the last fault");
        server.settle();
    }

    /**
     * Serves the clients, from the opening of the device to its close.
     *
     * @return whether a new connection works at the end
     */
    private boolean attempt() {
        boolean works = false;
        Terms terms = plan.connecting().server();
        try (RdmaResources resources = open(server, terms)) {
            Books books = new Books(resources);
            try (StructureHost opened = structures(resources)) {
                structures = opened;
                service = frontEnd(server, plan.frontEnd())
                        .bind(new FrontEnd.Setup(resources, terms::connection, address(), Set.of()), this::handle);
                begin();
                awaitClients();
                works = plan.isCalm() || !stopped && connectsAgain(resources);
                if (plan.hostFaults().isEmpty()) { // a refused call may keep something
                    new Remains(resources, simulation.scheduler(), plan).awaitNone(verdict);
                }
                verdict.endsWithin(PATIENCE, stopService());
                opened.check();
            }
            books.check(server, verdict);
        } catch (Throwable e) {
            verdict.failure("server", server, e);
        }
        return works;
    }

    /** Allocates the structures of the run. A server that is opened again has none. */
    private StructureHost structures(RdmaResources resources) {
        StructurePlan wanted = begun == 0 ? plan.structures() : StructurePlan.NONE;
        return new StructureHost(resources, wanted, plan.connecting().server(), server, verdict);
    }

    /** Admits a session to the structures of the run. Returns null if there are none. */
    @Nullable
    StructureAdmission admit(Session session, Link link) {
        return Objects.requireNonNull(structures).admit(session, link);
    }

    private void begin() {
        stopped = false;
        if (begun == 0) {
            begun = simulation.scheduler().steps();
            clients.forEach(ClientProgram::start);
            if (intruder != null) {
                intruder.start();
            }
            new Faults(plan, simulation.scheduler(), wire, server, clients, this::stopService, verdict).schedule();
        }
    }

    /** Waits for the clients, and for the server's sides of dead ones: it notices that they are gone. */
    private void awaitClients() throws InterruptedException {
        while (handling > 0 || clients.stream().anyMatch(ClientProgram::isUnderWay)) {
            Thread.sleep(10);
        }
    }

    /** Returns whether a client that is new connects and exchanges messages, now that all faults are over. */
    private boolean connectsAgain(RdmaResources resources) throws InterruptedException {
        Thread.sleep(AFTER_FAULTS);
        server.faults().disarm();
        wire.calmDown();
        Thread.sleep(AFTER_FAULTS);
        if (stopped) {
            return false;
        }
        ClientProgram client = client(
                Plan.Client.ofStreams(1, 1, LONGEST_MESSAGE, false, true),
                plan.connecting().server().ofAdmitted(),
                later,
                List.of());
        client.start();
        awaitClients();
        // A loop may notice only now that its queue has failed, and others later still.
        boolean live = DeviceResources.of(resources).loops().stream().anyMatch(loop -> loop.failure() == null);
        verdict.check(
                client.hasWorked() || stopped || !live || plan.failsDevice(0), // a fault of a step may stop it only now
                "a new connection does not work, although a loop of the server does");
        return client.hasWorked();
    }

    private void handle(Link link) {
        handling++;
        try {
            new ServerProgram(link, this, verdict).serve();
        } catch (Verdict.ApplicationFailure e) {
            throw e;
        } catch (RuntimeException | Error e) {
            verdict.failure("server handler", server, e);
        } finally {
            verdict.note("server handler ends");
            handling--;
        }
    }

    private Call<Void> stopService() {
        stopped = true; // also at the end of the run: a connection may be established, and not served yet
        return Objects.requireNonNull(service).stop();
    }
}
