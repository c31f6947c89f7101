package io.rdma.samples.simulation.world;

import io.rdma.connect.RdmaResources;
import io.rdma.internal.soft.device.SoftFailure;
import io.rdma.samples.simulation.network.Weather;
import io.rdma.samples.simulation.network.Wire;
import io.rdma.samples.simulation.schedule.Choices;
import io.rdma.samples.simulation.schedule.Simulation;
import io.rdma.samples.simulation.schedule.Trace;
import io.rdma.samples.support.DeviceOf;
import io.rdma.types.VerbsException;
import java.net.InetSocketAddress;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.Set;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/** One run: a server and its clients on hosts of their own, what they exchange, and the faults. */
public final class World {
    static final int PORT = 7471;
    /** Every wait of the library and of its users is bounded, and all bounds together are less. */
    private static final Duration LONGEST = Duration.ofMinutes(10);
    /** Twenty times those of any good run. Threads that spin come to them before the time is over. */
    private static final long MOST_STEPS = 2_500_000;

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
    private FrontEnd.@Nullable Service service;
    private final @Nullable Intruder intruder;
    private final DatagramRun datagrams;
    private int handling;
    private boolean stopped;

    private World(Plan plan, Trace.Detail told) {
        this.plan = plan;
        Choices choices = new Choices(~plan.seed());
        simulation = new Simulation(choices.below(Long.MAX_VALUE), plan.pauses(), told);
        wire = new Wire(simulation.scheduler(), choices.split(), simulation.trace(), plan.weather());
        verdict = new Verdict(simulation.trace(), plan.isCalm());
        server = new Host(simulation, wire, choices.split(), "server", 1);
        for (int i = 0; i < plan.clients().size(); i++) {
            Host host = new Host(simulation, wire, choices.split(), "client " + i, i + 2);
            clients.add(new ClientProgram(i, plan, host, this, verdict));
        }
        Host last = new Host(simulation, wire, choices.split(), "intruder", clients.size() + 2);
        intruder = plan.connecting().intruder() ? new Intruder(last, server, verdict) : null;
        List<Host> hosts = new ArrayList<>(List.of(server));
        clients.forEach(client -> hosts.add(client.host()));
        datagrams = new DatagramRun(plan, wire, hosts, choices.split(), verdict);
    }

    /**
     * Result of a run.
     *
     * @param verdict what was wrong
     * @param simulation with its trace
     */
    public record Run(Verdict verdict, Simulation simulation) {}

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
        world.verdict.close(finished, world.simulation.scheduler());
        world.noConversationsLeft();
        world.verdict.check(!plan.isCalm() || world.verdict.messages() == plan.messages(), "not every message arrived");
        Throwable uncaught = world.simulation.uncaught();
        if (uncaught != null) {
            world.verdict.unexpected("a thread", uncaught);
        }
        return new Run(world.verdict, world.simulation);
    }

    /** Checks that the connection managers of the living hosts have forgotten all identifiers and peers. */
    private void noConversationsLeft() {
        Stream<Host> others = intruder == null ? Stream.empty() : Stream.of(intruder.host());
        Stream.of(Stream.of(server), clients.stream().map(ClientProgram::host), others)
                .flatMap(hosts -> hosts)
                .filter(Host::isAlive)
                .forEach(host -> {
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

    InetSocketAddress address() {
        return new InetSocketAddress(server.address(), PORT);
    }

    FrontEnd frontEnd(Host host, FrontEnd.Kind kind) {
        return kind == FrontEnd.Kind.REACTOR
                ? new ReactorFrontEnd(host, verdict)
                : new CoroutinesFrontEnd(host, verdict, kind);
    }

    private void serve() {
        Terms terms = plan.connecting().server();
        try (RdmaResources resources = open(server, terms)) {
            service = frontEnd(server, plan.frontEnd())
                    .bind(new FrontEnd.Setup(resources, terms::connection, address(), Set.of()), this::handle);
            clients.forEach(ClientProgram::start);
            if (intruder != null) {
                intruder.start();
            }
            plan.faults().forEach(this::schedule);
            // Also for the server's sides of dead clients: it notices that they are gone.
            while (handling > 0 || clients.stream().anyMatch(ClientProgram::isUnderWay)) {
                Thread.sleep(10);
            }
            verdict.endsWithin(PATIENCE, stopService());
        } catch (InterruptedException | RuntimeException e) {
            verdict.unexpected("server", e);
        }
    }

    private void handle(Link link) {
        handling++;
        try {
            new ServerProgram(link, this, verdict).serve();
        } catch (Verdict.ApplicationFailure e) {
            throw e;
        } catch (RuntimeException | Error e) {
            verdict.unexpected("server handler", e);
        } finally {
            verdict.note("server handler ends");
            handling--;
        }
    }

    private void schedule(Plan.Fault fault) {
        simulation.scheduler().at(simulation.scheduler().now() + fault.at(), () -> happen(fault));
    }

    private void happen(Plan.Fault fault) {
        verdict.note("fault: " + fault);
        int target = fault.target() % (clients.size() + 1); // a smaller plan has fewer clients
        happen(fault, target == clients.size() ? server : clients.get(target).host());
    }

    private void happen(Plan.Fault fault, Host host) {
        switch (fault.kind()) {
            case CUT -> wire.setWeather(Weather.CUT, fault.lasts());
            case STORM -> wire.setWeather(new Weather(1_000, 500_000, 100, 100, 50), fault.lasts());
            case PAUSE -> host.standStill(fault.lasts());
            case CLOCK -> host.shiftClock(fault.lasts() - LONGEST.toNanos() / 100);
            case STOP -> stop();
            case DEVICE -> fail(host, SoftFailure.DEVICE);
            case COMPLETION_QUEUES -> fail(host, SoftFailure.COMPLETION_QUEUES);
            default -> happen(fault, clients.get(fault.target() % clients.size()));
        }
    }

    private void happen(Plan.Fault fault, ClientProgram client) {
        switch (fault.kind()) {
            case KILL -> client.host().kill();
            case POWER -> client.host().losePower();
            case CLOSE -> client.fault(Session::closeEarly);
            case ABORT -> client.fault(Session::abort);
            case CANCEL -> client.fault(session -> session.cancel((int) fault.lasts() & 7));
            default -> throw new AssertionError(fault);
        }
    }

    private void stop() {
        server.run("fault", this::stopService);
    }

    private Call<Void> stopService() {
        stopped = true; // also at the end of the run: a connection may be established, and not served yet
        return Objects.requireNonNull(service).stop();
    }

    private void fail(Host host, SoftFailure failure) {
        host.run("fault", () -> {
            try {
                host.verbs().fail(failure);
            } catch (VerbsException e) {
                verdict.note("no fault: " + e.getMessage());
            }
        });
    }
}
