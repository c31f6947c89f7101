package io.rdma.samples.simulation.agent;

import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.util.HashSet;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import org.jspecify.annotations.Nullable;
import org.objectweb.asm.ClassReader;
import org.objectweb.asm.ClassVisitor;
import org.objectweb.asm.FieldVisitor;
import org.objectweb.asm.Opcodes;

/** Volatile fields of the library's classes, read from their class files, because the classes may not be loaded yet. */
final class VolatileFields {
    private static final Map<String, Fields> KNOWN = new ConcurrentHashMap<>();

    private final ClassLoader loader;

    private record Fields(@Nullable String superName, Set<String> all, Set<String> volatiles) {}

    VolatileFields(ClassLoader loader) {
        this.loader = loader;
    }

    /** Returns whether a class has, or inherits, a volatile field of that name. */
    boolean has(String owner, String field) {
        for (String of = owner; of != null && Accesses.rewrites(of); ) {
            Fields fields = KNOWN.get(of);
            if (fields == null) {
                KNOWN.put(of, fields = read(of));
            }
            if (fields.all.contains(field)) {
                return fields.volatiles.contains(field);
            }
            of = fields.superName;
        }
        return false;
    }

    private Fields read(String name) {
        Set<String> all = new HashSet<>();
        Set<String> volatiles = new HashSet<>();
        ClassReader reader;
        try (InputStream in = loader.getResourceAsStream(name + ".class")) {
            reader = new ClassReader(in);
        } catch (IOException e) {
            throw new UncheckedIOException(name, e);
        }
        reader.accept(
                new ClassVisitor(Opcodes.ASM9) {
                    @Override
                    public @Nullable FieldVisitor visitField(
                            int access, String field, String type, String signature, Object value) {
                        all.add(field);
                        if ((access & Opcodes.ACC_VOLATILE) != 0) {
                            volatiles.add(field);
                        }
                        return null;
                    }
                },
                ClassReader.SKIP_CODE | ClassReader.SKIP_DEBUG);
        return new Fields(reader.getSuperName(), all, volatiles);
    }
}
