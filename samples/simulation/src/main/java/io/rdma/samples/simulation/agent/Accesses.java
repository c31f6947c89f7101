package io.rdma.samples.simulation.agent;

import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.objectweb.asm.ClassReader;
import org.objectweb.asm.ClassVisitor;
import org.objectweb.asm.ClassWriter;
import org.objectweb.asm.Label;
import org.objectweb.asm.MethodVisitor;
import org.objectweb.asm.Opcodes;
import org.objectweb.asm.Type;

/**
 * Rewriting of the library. The simulation may hold a thread before each access to memory that other threads access,
 * too: of a volatile field, by a VarHandle or an atomic, by anything of java.util.concurrent. It takes the place of
 * monitors and of the clock.
 */
final class Accesses {
    private static final String LIBRARY = "io/rdma/";
    private static final String SAMPLES = "io/rdma/samples/";
    /** The log of a run may depend on the runs before, and must not change the order of the threads. */
    private static final String LOG = "io/rdma/internal/log/";

    /** The seam with faults is an instrument. What it notes is no part of what is simulated. */
    private static final String INSTRUMENTS = "io/rdma/testing/";

    private static final String OBJECT = "(Ljava/lang/Object;)V";

    private Accesses() {}

    static boolean rewrites(@Nullable String name) {
        return name != null
                && name.startsWith(LIBRARY)
                && !name.startsWith(SAMPLES)
                && !name.startsWith(LOG)
                && !name.startsWith(INSTRUMENTS);
    }

    static byte[] rewrite(ClassLoader loader, byte[] bytes) {
        ClassReader reader = new ClassReader(bytes);
        ClassWriter writer = new ClassWriter(reader, ClassWriter.COMPUTE_MAXS);
        reader.accept(new Paused(writer, new VolatileFields(loader)), ClassReader.EXPAND_FRAMES);
        return writer.toByteArray();
    }

    /** Returns whether a call of this class is one that other threads may see. */
    private static boolean concurrent(String owner) {
        return owner.equals("java/lang/invoke/VarHandle")
                || owner.startsWith("org/jctools/queues/")
                || owner.startsWith("java/util/concurrent/") && !owner.equals("java/util/concurrent/TimeUnit");
    }

    private static final class Paused extends ClassVisitor {
        private final VolatileFields volatiles;
        private String name = "";

        Paused(ClassVisitor next, VolatileFields volatiles) {
            super(Opcodes.ASM9, next);
            this.volatiles = volatiles;
        }

        @Override
        public void visit(
                int version, int access, String className, String signature, String superName, String[] interfaces) {
            name = className;
            super.visit(version, access, className, signature, superName, interfaces);
        }

        @Override
        public MethodVisitor visitMethod(int access, String method, String type, String signature, String[] throwing) {
            boolean whole = (access & Opcodes.ACC_SYNCHRONIZED) != 0;
            MethodVisitor next =
                    super.visitMethod(access & ~Opcodes.ACC_SYNCHRONIZED, method, type, signature, throwing);
            MethodVisitor inner = new Method(next, volatiles);
            return whole ? new Whole(inner, name, (access & Opcodes.ACC_STATIC) != 0, type) : inner;
        }
    }

    private static final class Method extends MethodVisitor {
        private final VolatileFields volatiles;

        Method(MethodVisitor next, VolatileFields volatiles) {
            super(Opcodes.ASM9, next);
            this.volatiles = volatiles;
        }

        private void hook(String name, String type) {
            mv.visitMethodInsn(Opcodes.INVOKESTATIC, Waits.HOOKS, name, type, false);
        }

        @Override
        public void visitFieldInsn(int opcode, String owner, String field, String type) {
            if (volatiles.has(owner, field)) {
                hook("pause", "()V");
            }
            super.visitFieldInsn(opcode, owner, field, type);
        }

        @Override
        public void visitMethodInsn(int opcode, String owner, String called, String type, boolean isInterface) {
            switch (owner + "." + called + type) {
                case "java/lang/System.nanoTime()J" -> hook("nanoTime", type);
                case "java/lang/Thread.onSpinWait()V" -> hook("spin", type);
                case "java/lang/Object.wait()V" -> hook("await", OBJECT);
                case "java/lang/Object.wait(J)V" -> hook("await", "(Ljava/lang/Object;J)V");
                case "java/lang/Object.notify()V" -> hook("signal", OBJECT);
                case "java/lang/Object.notifyAll()V" -> hook("signalAll", OBJECT);
                default -> {
                    if (concurrent(owner)) {
                        hook("pause", "()V");
                    }
                    super.visitMethodInsn(opcode, owner, called, type, isInterface);
                }
            }
        }

        @Override
        public void visitInsn(int opcode) {
            switch (opcode) {
                case Opcodes.MONITORENTER -> hook("enter", OBJECT);
                case Opcodes.MONITOREXIT -> hook("exit", OBJECT);
                default -> super.visitInsn(opcode);
            }
        }
    }

    /** Rewriting of a synchronized method into one that enters a monitor, and leaves it at every end. */
    private static final class Whole extends MethodVisitor {
        private final String owner;
        private final boolean isStatic;
        private final String type;
        private final Label begin = new Label();
        private final Label end = new Label();

        Whole(MethodVisitor next, String owner, boolean isStatic, String type) {
            super(Opcodes.ASM9, next);
            this.owner = owner;
            this.isStatic = isStatic;
            this.type = type;
        }

        private void hook(String name) {
            if (isStatic) {
                mv.visitLdcInsn(Type.getObjectType(owner));
            } else {
                mv.visitVarInsn(Opcodes.ALOAD, 0);
            }
            mv.visitMethodInsn(Opcodes.INVOKESTATIC, Waits.HOOKS, name, OBJECT, false);
        }

        @Override
        public void visitCode() {
            super.visitCode();
            hook("enter");
            mv.visitLabel(begin);
        }

        @Override
        public void visitInsn(int opcode) {
            if (opcode >= Opcodes.IRETURN && opcode <= Opcodes.RETURN) {
                hook("exit");
            }
            super.visitInsn(opcode);
        }

        @Override
        public void visitMaxs(int stack, int locals) {
            mv.visitLabel(end);
            mv.visitFrame(
                    Opcodes.F_NEW, parameters().size(), parameters().toArray(), 1, new Object[] {"java/lang/Throwable"
                    });
            hook("exit");
            mv.visitInsn(Opcodes.ATHROW);
            // Behind the method's own handlers, which are inside.
            mv.visitTryCatchBlock(begin, end, end, null);
            super.visitMaxs(stack, locals);
        }

        private List<Object> parameters() {
            List<Object> types = new ArrayList<>();
            if (!isStatic) {
                types.add(owner);
            }
            for (Type parameter : Type.getArgumentTypes(type)) {
                types.add(
                        switch (parameter.getSort()) {
                            case Type.BOOLEAN, Type.BYTE, Type.CHAR, Type.SHORT, Type.INT -> Opcodes.INTEGER;
                            case Type.LONG -> Opcodes.LONG;
                            case Type.FLOAT -> Opcodes.FLOAT;
                            case Type.DOUBLE -> Opcodes.DOUBLE;
                            default -> parameter.getInternalName();
                        });
            }
            return types;
        }
    }
}
