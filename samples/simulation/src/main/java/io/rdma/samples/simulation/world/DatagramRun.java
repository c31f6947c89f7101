package io.rdma.samples.simulation.world;

import io.rdma.samples.simulation.network.Wire;
import io.rdma.samples.simulation.schedule.Choices;
import java.util.ArrayList;
import java.util.List;

/** The sockets for datagrams of a run, with the log of what they exchange. */
final class DatagramRun {
    private final Plan plan;
    private final Wire wire;
    private final DatagramLog log;
    private final List<DatagramProgram> programs = new ArrayList<>();

    /**
     * @param hosts the server, then the clients
     */
    DatagramRun(Plan plan, Wire wire, List<Host> hosts, Choices choices, Verdict verdict) {
        this.plan = plan;
        this.wire = wire;
        log = new DatagramLog(verdict);
        for (DatagramPlan socket : plan.datagrams()) {
            Host host = hosts.get(socket.host());
            boolean fails = plan.failsDevice(socket.host());
            programs.add(new DatagramProgram(programs.size(), socket, host, fails, this, choices.split(), verdict));
        }
    }

    void start() {
        programs.forEach(DatagramProgram::start);
    }

    List<DatagramProgram> programs() {
        return programs;
    }

    DatagramLog log() {
        return log;
    }

    boolean isCalm() {
        return plan.isCalm();
    }

    /** Returns whether any socket has datagrams of its own to send. */
    boolean isSending() {
        return programs.stream().anyMatch(DatagramProgram::isSending);
    }

    /** Checks all that arrived, when the run has ended. */
    void close() {
        log.close(programs, wire);
    }
}
