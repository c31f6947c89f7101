package io.rdma.samples.simulation.agent;

import java.util.Map;
import java.util.Objects;
import java.util.Set;
import org.jspecify.annotations.Nullable;
import org.objectweb.asm.ClassReader;
import org.objectweb.asm.ClassVisitor;
import org.objectweb.asm.ClassWriter;
import org.objectweb.asm.MethodVisitor;
import org.objectweb.asm.Opcodes;
import org.objectweb.asm.Type;

/**
 * Rewriting of the coroutines' dispatchers and delays that have threads of their own. The accessors of these return the
 * simulation's dispatcher.
 */
final class Dispatchers {
    private static final String SIMULATED = "io/rdma/samples/simulation/world/SimulatedDispatcher";

    /** The accessors of each class. */
    private static final Map<String, Set<String>> ACCESSORS = Map.of(
            "kotlinx/coroutines/Dispatchers", Set.of("getDefault", "getIO"),
            "kotlinx/coroutines/DefaultExecutorKt", Set.of("getDefaultDelay"));

    private Dispatchers() {}

    static boolean rewrites(@Nullable String name) {
        return name != null && ACCESSORS.containsKey(name);
    }

    static byte[] rewrite(byte[] bytes) {
        ClassReader reader = new ClassReader(bytes);
        ClassWriter writer = new ClassWriter(reader, 0);
        Replaced replaced = new Replaced(writer, Objects.requireNonNull(ACCESSORS.get(reader.getClassName())));
        reader.accept(replaced, 0);
        if (replaced.count != replaced.accessors.size()) {
            throw new IllegalStateException(reader.getClassName() + " has not all of " + replaced.accessors);
        }
        return writer.toByteArray();
    }

    private static final class Replaced extends ClassVisitor {
        private final Set<String> accessors;
        private int count;

        Replaced(ClassVisitor next, Set<String> accessors) {
            super(Opcodes.ASM9, next);
            this.accessors = accessors;
        }

        @Override
        public @Nullable MethodVisitor visitMethod(
                int access, String name, String type, String signature, String[] throwing) {
            MethodVisitor method = super.visitMethod(access, name, type, signature, throwing);
            if (!accessors.contains(name)) {
                return method;
            }
            count++;
            method.visitCode();
            method.visitFieldInsn(
                    Opcodes.GETSTATIC,
                    SIMULATED,
                    "INSTANCE",
                    Type.getObjectType(SIMULATED).getDescriptor());
            method.visitInsn(Opcodes.ARETURN);
            method.visitMaxs(1, Type.getArgumentsAndReturnSizes(type) >> 2);
            method.visitEnd();
            return null;
        }
    }
}
