package io.rdma.internal.engine;

import jdk.jfr.Category;
import jdk.jfr.Description;
import jdk.jfr.Event;
import jdk.jfr.Label;
import jdk.jfr.Name;
import jdk.jfr.StackTrace;
import jdk.jfr.Threshold;

/**
 * An operation that took long from its submission to its end, whether it waited for room, for credits or for the
 * device. It costs a time stamp per operation while a recording has it enabled, and nothing otherwise.
 */
@Name("io.rdma.SlowOperation")
@Label("Slow RDMA Operation")
@Category("RDMA")
@Description("An operation that took long from its submission to its end")
@Threshold("10 ms")
@StackTrace(false)
final class SlowOperationEvent extends Event {
    @Label("Operation")
    String opcode = "";

    @Label("Bytes")
    int bytes;

    @Label("Local Queue Pair")
    int queuePair;

    @Label("Failed")
    boolean failed;
}
