package io.rdma.samples.simulation.agent;

import org.jspecify.annotations.Nullable;
import org.objectweb.asm.ClassReader;
import org.objectweb.asm.ClassVisitor;
import org.objectweb.asm.ClassWriter;
import org.objectweb.asm.MethodVisitor;
import org.objectweb.asm.Opcodes;

/**
 * Rewriting of the JDK's registry of thread pools, which is for thread dumps: it registers none. The pools of hosts
 * that died would stay in it until a garbage collection, and all of them have one identity hash code, so that each
 * lookup would compare thousands.
 */
final class ThreadContainers {
    private static final String NAME = "jdk/internal/vm/ThreadContainers";

    private ThreadContainers() {}

    static boolean rewrites(@Nullable String name) {
        return NAME.equals(name);
    }

    static byte[] rewrite(byte[] bytes) {
        ClassReader reader = new ClassReader(bytes);
        ClassWriter writer = new ClassWriter(reader, ClassWriter.COMPUTE_MAXS);
        reader.accept(
                new ClassVisitor(Opcodes.ASM9, writer) {
                    @Override
                    public @Nullable MethodVisitor visitMethod(
                            int access, String name, String type, String signature, String[] throwing) {
                        MethodVisitor next = super.visitMethod(access, name, type, signature, throwing);
                        if (!name.equals("registerContainer")) {
                            return next;
                        }
                        returnArgument(next); // as the key, with which it will be removed
                        return null;
                    }
                },
                0);
        return writer.toByteArray();
    }

    private static void returnArgument(MethodVisitor method) {
        method.visitCode();
        method.visitVarInsn(Opcodes.ALOAD, 0);
        method.visitInsn(Opcodes.ARETURN);
        method.visitMaxs(0, 0);
        method.visitEnd();
    }
}
