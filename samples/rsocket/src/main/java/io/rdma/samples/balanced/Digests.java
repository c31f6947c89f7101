package io.rdma.samples.balanced;

import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.HexFormat;

/**
 * The function that the servers compute. It always gives the same answer for a number, so a question may be repeated,
 * and the client can verify an answer.
 */
final class Digests {
    private Digests() {}

    /** @return SHA-256 of the number's digits */
    static String of(String number) {
        try {
            return HexFormat.of()
                    .formatHex(MessageDigest.getInstance("SHA-256").digest(number.getBytes(StandardCharsets.UTF_8)));
        } catch (NoSuchAlgorithmException e) {
            throw new IllegalStateException("every Java has SHA-256", e);
        }
    }
}
