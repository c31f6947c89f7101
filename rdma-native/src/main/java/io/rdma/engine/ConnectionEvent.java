package io.rdma.engine;

import jdk.jfr.Category;
import jdk.jfr.Description;
import jdk.jfr.Event;
import jdk.jfr.Label;
import jdk.jfr.Name;
import jdk.jfr.StackTrace;

/** The life of one connection, in a recording of the JDK's Flight Recorder: from its first posted receive until it is drained. */
@Name("io.rdma.Connection")
@Label("RDMA Connection")
@Category("RDMA")
@Description("From the first posted receive to the destroyed queue pair")
@StackTrace(false)
final class ConnectionEvent extends Event {
    @Label("Local Queue Pair")
    int queuePair;

    @Label("End")
    @Description("Why it ended")
    String end = "";

    @Label("Lost")
    @Description("Whether it ended by a failure")
    boolean lost;
}
