package io.rdma.samples.simulation.coverage;

import org.jacoco.core.data.ExecutionDataStore;
import org.jacoco.core.data.SessionInfoStore;
import org.jacoco.core.runtime.RuntimeData;
import org.objectweb.asm.MethodVisitor;
import org.objectweb.asm.Opcodes;
import org.objectweb.asm.Type;

/**
 * Probes of all counted classes. A class asks for its own once, and sets one at each branch that is taken. The
 * simulation pauses a thread at neither.
 */
public final class Probes {
    private static final RuntimeData DATA = new RuntimeData();

    private Probes() {}

    /**
     * Returns the probes of a class, which calls this.
     *
     * @param id the checksum of its bytes
     */
    public static boolean[] of(long id, String className, int count) {
        return DATA.getExecutionData(id, className, count).getProbes();
    }

    /** Adds the call of {@link #of} to a method, and returns the stack that it needs. */
    static int call(long id, String className, int count, MethodVisitor code) {
        code.visitLdcInsn(id);
        code.visitLdcInsn(className);
        code.visitLdcInsn(count);
        code.visitMethodInsn(
                Opcodes.INVOKESTATIC, Type.getInternalName(Probes.class), "of", "(JLjava/lang/String;I)[Z", false);
        return 4;
    }

    static ExecutionDataStore collected() {
        ExecutionDataStore store = new ExecutionDataStore();
        DATA.collect(store, new SessionInfoStore(), false);
        return store;
    }
}
