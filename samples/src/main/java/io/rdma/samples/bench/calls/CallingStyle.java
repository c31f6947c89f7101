package io.rdma.samples.bench.calls;

import java.lang.foreign.Arena;
import java.lang.foreign.Linker;
import java.lang.invoke.MethodHandle;
import java.lang.invoke.MethodHandles;

/** A way to make a call of C. */
public enum CallingStyle {
    /** The handle is bound to the function's address. */
    SYMBOL("symbol"),
    /** The same, without the transition of the thread: a function that blocks holds up the collector meanwhile. */
    SYMBOL_CRITICAL("symbol, critical"),
    /** The address is an argument and is read at each call: as this library does it. */
    POINTER("pointer"),
    /** The same, without the transition. */
    POINTER_CRITICAL("pointer, critical"),
    /** As {@link #POINTER}, and errno is kept, which none of these functions says anything by. */
    POINTER_ERRNO("pointer, errno kept");

    private static final Linker LINKER = Linker.nativeLinker();

    private final String title;

    CallingStyle(String title) {
        this.title = title;
    }

    /**
     * As figures name it.
     *
     * @return in English
     */
    public String title() {
        return title;
    }

    /** A call of the function that the object's provider has, of type {@link TimedCalls#TYPE}. */
    MethodHandle handle(ProviderFunction function, long object) {
        MethodHandle call = switch (this) {
            case SYMBOL, SYMBOL_CRITICAL ->
                LINKER.downcallHandle(function.of(object), function.descriptor(), options());
            case POINTER, POINTER_CRITICAL ->
                readsPointer(function, LINKER.downcallHandle(function.descriptor(), options()));
            case POINTER_ERRNO ->
                readsPointer(
                        function,
                        MethodHandles.insertArguments(
                                LINKER.downcallHandle(function.descriptor(), options()),
                                1,
                                Arena.global().allocate(Linker.Option.captureStateLayout())));
        };
        return MethodHandles.explicitCastArguments(call, TimedCalls.TYPE);
    }

    private Linker.Option[] options() {
        return switch (this) {
            case SYMBOL, POINTER -> new Linker.Option[0];
            case SYMBOL_CRITICAL, POINTER_CRITICAL -> new Linker.Option[] {Linker.Option.critical(false)};
            case POINTER_ERRNO -> new Linker.Option[] {Linker.Option.captureCallState("errno")};
        };
    }

    private static MethodHandle readsPointer(ProviderFunction function, MethodHandle call) {
        return MethodHandles.foldArguments(call, function.reader());
    }
}
