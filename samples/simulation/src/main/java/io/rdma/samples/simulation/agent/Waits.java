package io.rdma.samples.simulation.agent;

import org.jspecify.annotations.Nullable;
import org.objectweb.asm.ClassReader;
import org.objectweb.asm.ClassVisitor;
import org.objectweb.asm.ClassWriter;
import org.objectweb.asm.Label;
import org.objectweb.asm.MethodVisitor;
import org.objectweb.asm.Opcodes;

/**
 * Rewriting of the JDK's timed waits: they read the simulation's clock, and the simulation's timers end those of
 * virtual threads.
 */
final class Waits {
    static final String HOOKS = "io/rdma/samples/simulation/hooks/Hooks";
    private static final String VIRTUAL_THREAD = "java/lang/VirtualThread";
    private static final String SCHEDULE =
            "(Ljava/lang/Runnable;JLjava/util/concurrent/TimeUnit;)Ljava/util/concurrent/Future;";

    private Waits() {}

    /** Returns whether a class is rewritten; false for null, with which a class loader leaves the name out. */
    static boolean rewrites(@Nullable String name) {
        return name != null
                && (name.equals(VIRTUAL_THREAD)
                        || name.startsWith("java/util/concurrent/") && !name.contains("ForkJoin"));
    }

    static byte[] rewrite(byte[] bytes) {
        ClassReader reader = new ClassReader(bytes);
        ClassWriter writer = new ClassWriter(reader, 0);
        boolean virtual = reader.getClassName().equals(VIRTUAL_THREAD);
        Clocked clocked = new Clocked(writer, virtual);
        reader.accept(clocked, 0);
        if (virtual && !clocked.scheduled) {
            throw new IllegalStateException("VirtualThread.schedule is not the method of JDK 25");
        }
        return writer.toByteArray();
    }

    private static final class Clocked extends ClassVisitor {
        private final boolean virtual;
        boolean scheduled;

        Clocked(ClassVisitor next, boolean virtual) {
            super(Opcodes.ASM9, next);
            this.virtual = virtual;
        }

        @Override
        public MethodVisitor visitMethod(int access, String name, String type, String signature, String[] throwing) {
            MethodVisitor next = super.visitMethod(access, name, type, signature, throwing);
            boolean schedules = virtual && name.equals("schedule") && type.equals(SCHEDULE);
            scheduled |= schedules;
            return new MethodVisitor(Opcodes.ASM9, next) {
                @Override
                public void visitCode() {
                    super.visitCode();
                    if (schedules) {
                        askSimulation(mv);
                    }
                }

                @Override
                public void visitMethodInsn(int opcode, String owner, String called, String of, boolean isInterface) {
                    if (owner.equals("java/lang/System") && called.equals("nanoTime")) {
                        super.visitMethodInsn(opcode, HOOKS, called, of, false);
                    } else {
                        super.visitMethodInsn(opcode, owner, called, of, isInterface);
                    }
                }

                @Override
                public void visitMaxs(int stack, int locals) {
                    super.visitMaxs(Math.max(stack, schedules ? 5 : 0), locals);
                }
            };
        }

        /** Adds: {@code Future f = Hooks.schedule(scheduler, task, delay, unit); if (f != null) return f;}. */
        private static void askSimulation(MethodVisitor code) {
            Label go = new Label();
            code.visitVarInsn(Opcodes.ALOAD, 0);
            code.visitFieldInsn(Opcodes.GETFIELD, VIRTUAL_THREAD, "scheduler", "Ljava/util/concurrent/Executor;");
            code.visitVarInsn(Opcodes.ALOAD, 1);
            code.visitVarInsn(Opcodes.LLOAD, 2);
            code.visitVarInsn(Opcodes.ALOAD, 4);
            code.visitMethodInsn(
                    Opcodes.INVOKESTATIC,
                    HOOKS,
                    "schedule",
                    "(Ljava/util/concurrent/Executor;" + SCHEDULE.substring(1),
                    false);
            code.visitInsn(Opcodes.DUP);
            code.visitJumpInsn(Opcodes.IFNULL, go);
            code.visitInsn(Opcodes.ARETURN);
            code.visitLabel(go);
            code.visitFrame(Opcodes.F_SAME1, 0, null, 1, new Object[] {"java/util/concurrent/Future"});
            code.visitInsn(Opcodes.POP);
        }
    }
}
