package io.rdma.internal.ffi.lib;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.file.Path;
import org.assertj.core.api.SoftAssertions;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * Check of the values of the layout tests by jextract instead of C's compilers. It runs with
 * {@code ./mvnw -Pjextract -pl rdma-native test}, and fails where there is no jextract, since this profile asks for its
 * verdict.
 */
@Tag("jextract")
class JextractTest {
    @ParameterizedTest
    @ValueSource(strings = {"amd64", "aarch64"})
    void layoutsAndConstantsAreThoseOfJextract(String architecture) throws Exception {
        Jextract jextract = Jextract.run(architecture, Path.of("target", "jextract", architecture));
        SoftAssertions softly = new SoftAssertions();
        int judged = 0;
        for (CAsserts claims : new CAsserts[] {
            new LayoutTest().claims(architecture),
            new ExtendedLayoutTest().claims(architecture),
            new CmLayoutTest().claims()
        }) {
            for (CAsserts.Claim claim : claims.all()) {
                softly.assertThat(jextract.value(claim.expression()))
                        .as(claim.expression())
                        .isEqualTo(claim.value());
                judged++;
            }
        }
        softly.assertAll();
        assertThat(judged).isGreaterThan(370);
    }
}
