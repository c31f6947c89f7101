package io.rdma.internal.engine;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.HashMap;
import java.util.Map;
import java.util.SplittableRandom;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Members of a shared ring by number, compared with a {@link HashMap}, and read beside changes. */
class MembersByNumberTest {
    private static final int STEPS = 20_000;
    private static final int NUMBERS = 1 << 24;

    private final MembersByNumber<Object> members = new MembersByNumber<>();

    @ParameterizedTest
    @ValueSource(ints = {8, 1_000, NUMBERS})
    void itHasWhatJoinedAndDidNotLeave(int numbers) {
        SplittableRandom random = new SplittableRandom(numbers);
        Map<Integer, Object> model = new HashMap<>();
        for (int step = 0; step < STEPS; step++) {
            int number = random.nextInt(numbers);
            Object known = model.remove(number);
            if (known == null) {
                Object joining = new Object();
                members.add(number, joining);
                model.put(number, joining);
            } else {
                members.remove(number, new Object()); // another one, which left before
                assertThat(members.find(number)).isSameAs(known);
                members.remove(number, known);
            }
            int asked = random.nextInt(numbers);
            assertThat(members.find(asked)).isSameAs(model.get(asked));
        }
        model.forEach((number, member) -> assertThat(members.find(number)).isSameAs(member));
    }

    @Test
    void aNumberPassesToANewMember() {
        Object first = new Object();
        Object second = new Object();
        members.add(0, first);
        members.add(0, second);
        members.remove(0, first);
        assertThat(members.find(0)).isSameAs(second);
    }

    @Test
    void aMemberIsFoundWhileOthersJoinAndLeave() throws Exception {
        Object stays = new Object();
        members.add(7, stays);
        AtomicBoolean done = new AtomicBoolean();
        CompletableFuture<Boolean> alwaysThere = CompletableFuture.supplyAsync(() -> {
            boolean there = true;
            while (!done.get()) {
                there &= members.find(7) == stays;
            }
            return there;
        });
        SplittableRandom random = new SplittableRandom(7);
        for (int step = 0; step < STEPS; step++) {
            int number = 8 + random.nextInt(NUMBERS - 8);
            members.add(number, step);
            if (step % 2 == 0) {
                members.remove(number, members.find(number));
            }
        }
        done.set(true);
        assertThat(alwaysThere.get(60, TimeUnit.SECONDS)).isTrue();
    }
}
