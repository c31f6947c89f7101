package io.rdma.samples.bench.calls;

import java.lang.foreign.Arena;
import java.lang.foreign.Linker;
import java.lang.invoke.MethodHandle;
import java.lang.invoke.MethodHandles;

/** A way to make a call of C. */
public enum CallingStyle {
    /** The handle is bound to the function's address. */
    SYMBOL("symbol"),
    /**
     * As {@link #SYMBOL}, without the state transition of the thread. While such a function blocks, the garbage
     * collector has to wait.
     */
    SYMBOL_CRITICAL("symbol, critical"),
    /** The address is an argument and is read at each call, as this library does. */
    POINTER("pointer"),
    /** As {@link #POINTER}, without the state transition of the thread. */
    POINTER_CRITICAL("pointer, critical"),
    /** As {@link #POINTER}, and errno is captured, although none of these functions reports errors by it. */
    POINTER_ERRNO("pointer, errno kept");

    private static final Linker LINKER = Linker.nativeLinker();

    private final String title;

    CallingStyle(String title) {
        this.title = title;
    }

    /**
     * Returns the name of the style in figures.
     *
     * @return in English
     */
    public String title() {
        return title;
    }

    /** Returns a handle that calls the function of the object's provider, of type {@link TimedCalls#TYPE}. */
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
