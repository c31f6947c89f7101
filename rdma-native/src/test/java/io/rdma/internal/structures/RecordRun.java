package io.rdma.internal.structures;

import static org.assertj.core.api.Assertions.assertThat;

import io.rdma.structures.RecordOptions;
import io.rdma.structures.StructureException;
import io.rdma.structures.StructureException.Reason;
import io.rdma.structures.TableOptions;
import io.rdma.structures.VersionedValue;
import java.lang.foreign.ValueLayout;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * One random run of puts and gets of a record, or of a key that is alone in the bucket of a table, with writers that
 * are disturbed. Each run is checked for linearizability.
 */
final class RecordRun implements SeededRuns.Run {
    static final Duration LEASE = Duration.ofMillis(1);
    private static final byte[] KEY = {1};
    private static final int ENTRY = TableOptions.ENTRY_BYTES + KEY.length;

    final Random random;
    final StructureHeader header;
    final ModelStructure model;
    final RecordHistory history = new RecordHistory();
    final List<Call> calls = new ArrayList<>();
    private final boolean isTable;
    private int values;

    /** One call of a client, and whether it has ended. */
    final class Call {
        private final ModelStructure.Client client;
        private boolean cancelled;
        boolean ended;

        Call(ModelStructure.Client client) {
            this.client = client;
            calls.add(this);
        }

        <T> StructureCall.Outcome<T> outcome(Consumer<@Nullable T> succeeded, Consumer<StructureException> failed) {
            return new StructureCall.Outcome<>() {
                @Override
                public void succeeded(@Nullable T value) {
                    end();
                    succeeded.accept(value);
                }

                @Override
                public void failed(Throwable error) {
                    end();
                    if (!(error instanceof StructureException refusal)) {
                        throw new AssertionError(error);
                    }
                    failed.accept(refusal);
                }

                private void end() {
                    assertThat(ended).isFalse();
                    assertThat(cancelled).isFalse();
                    ended = true;
                }
            };
        }
    }

    RecordRun(long seed, int capacity) {
        this(seed, capacity, false, 0);
    }

    /**
     * @param isTable whether the record is the bucket of a table
     * @param version version of the value that is there; 0 for none
     */
    RecordRun(long seed, int capacity, boolean isTable, long version) {
        random = new Random(seed);
        this.isTable = isTable;
        header = StructureHeader.of(
                isTable ? StructureHeader.Kind.TABLE : StructureHeader.Kind.RECORDS,
                RecordOptions.of(1, capacity + (isTable ? ENTRY : 0)).withLease(LEASE),
                0);
        model = new ModelStructure(header, random);
        for (int i = 0; i < 4; i++) {
            model.client();
        }
        if (version > 0) {
            begin(version);
        }
    }

    /** Puts a value by the first client, so that it has a version. */
    private void begin(long version) {
        long word = header.records().offset(0);
        model.memory.set(ValueLayout.JAVA_LONG, word, version - 1 << 27);
        new UpdateCall(
                        model.clients().getFirst(),
                        header.records(),
                        0,
                        LEASE,
                        1,
                        false,
                        (before, next, none) -> content(next),
                        new Call(model.clients().getFirst()).<Long>outcome(done -> {}, this::refused))
                .start();
        while (model.step()) {}
        history.put("the first", version, version - 1);
    }

    private byte[] content(long version) {
        byte[] value = "the first".getBytes(StandardCharsets.UTF_8);
        if (!isTable) {
            return value;
        }
        Bucket bucket = new Bucket(null);
        bucket.put(KEY, value, version, header.capacity(), false);
        return bucket.encode();
    }

    @Override
    public void close() {
        model.close();
    }

    /** Returns the word of the record. */
    RecordWord word() {
        return RecordLayout.word(model.memory.asSlice(header.records().offset(0)));
    }

    RecordClient records(ModelStructure.Client client) {
        return new RecordClient(client, header, client.writer);
    }

    private TableClient table(ModelStructure.Client client) {
        return new TableClient(client, header, client.writer);
    }

    private String nextValue() {
        int most = header.capacity() - (isTable ? ENTRY : 0);
        return "value-" + values++ + "-".repeat(random.nextInt(1 + most - 12));
    }

    void get(ModelStructure.Client client) {
        long atStart = history.newest();
        Call call = new Call(client);
        StructureCall.Outcome<VersionedValue> outcome =
                call.outcome(found -> history.got(found, atStart), this::refused);
        if (isTable) {
            table(client).get(KEY, outcome);
        } else {
            records(client).get(0, outcome);
        }
    }

    private StructureCall<Long> put(
            ModelStructure.Client client,
            String value,
            @Nullable Long expected,
            StructureCall.Outcome<? super Long> outcome) {
        byte[] bytes = value.getBytes(StandardCharsets.UTF_8);
        if (isTable) {
            return table(client).put(KEY, bytes, expected, outcome);
        }
        return expected == null
                ? records(client).put(0, bytes, outcome)
                : records(client).put(0, bytes, expected, outcome);
    }

    Call put(ModelStructure.Client client, boolean cancelSoon) {
        long atStart = history.newest();
        Call call = new Call(client);
        String value = nextValue();
        StructureCall<Long> started =
                put(client, value, null, call.<Long>outcome(v -> history.put(value, v, atStart), this::refused));
        if (cancelSoon) {
            client.after(random.nextInt(100_000), () -> {
                if (!call.ended) {
                    started.cancel();
                    call.cancelled = true;
                }
            });
        }
        return call;
    }

    void conditionalPut(ModelStructure.Client client) {
        long expected = Math.max(0, history.newest() - random.nextInt(2));
        long atStart = history.newest();
        String value = nextValue();
        StructureCall.Outcome<Long> outcome = new Call(client)
                .outcome(
                        version -> {
                            assertThat(version).isEqualTo(expected + 1);
                            history.put(value, version, atStart);
                        },
                        refusal -> {
                            if (refusal.reason() == Reason.CONFLICT) {
                                assertThat(refusal.version()).isNotEqualTo(expected);
                                assertThat(refusal.version()).isGreaterThanOrEqualTo(atStart);
                                history.refused(value);
                            } else {
                                refused(refusal);
                            }
                        });
        put(client, value, expected, outcome);
    }

    /** A put may give up while silent writers hold the images. Nothing else may be refused. */
    private void refused(StructureException refusal) {
        assertThat(refusal).extracting(StructureException::reason).isEqualTo(Reason.BUSY);
    }

    /** Begins a call, or disturbs a client. */
    void act() {
        ModelStructure.Client client =
                model.clients().get(random.nextInt(model.clients().size()));
        switch (random.nextInt(24)) {
            case 0, 1, 2, 3 -> unlessKilled(client, () -> get(client));
            case 4, 5, 6, 7 -> unlessKilled(client, () -> put(client, false));
            case 8 -> unlessKilled(client, () -> put(client, true));
            case 9, 10 -> unlessKilled(client, () -> conditionalPut(client));
            case 11, 12 -> client.pause(true);
            case 13, 14, 15 -> client.pause(false);
            case 16 -> client.stall(true);
            case 17, 18 -> client.stall(false);
            case 19 -> {
                if (model.clients().size() < 12) {
                    client.kill();
                    model.client();
                }
            }
            case 20, 21 -> client.disconnect();
            default -> {} // steps alone
        }
    }

    private static void unlessKilled(ModelStructure.Client client, Runnable action) {
        if (!client.isKilled()) {
            action.run();
        }
    }

    void steps(int most) {
        for (int i = 0; i < most && model.step(); i++) {}
    }

    /** Lets all clients go on, and checks that everything ends and that a new client is not blocked. */
    void heal() {
        model.clients().forEach(client -> {
            client.pause(false);
            client.stall(false);
            client.disconnect();
        });
        int left = 400_000;
        while (model.step()) {
            assertThat(--left).as("steps").isPositive();
        }
        assertThat(calls).allMatch(call -> call.ended || call.cancelled || call.client.isKilled());
        ModelStructure.Client last = model.client();
        List<Object> results = new ArrayList<>();
        String value = nextValue();
        put(last, value, null, new Call(last).<Long>outcome(results::add, results::add));
        while (model.step()) {}
        assertThat(results).hasExactlyElementsOfTypes(Long.class);
        history.put(value, (long) results.getFirst(), history.newest());
        get(last);
        while (model.step()) {}
        assertThat(calls.getLast().ended).isTrue();
    }
}
