package io.rdma.internal.os;

// How it works: a JVM tests at the entry of a method whether the stack has room for the method's frame, and throws
// StackOverflowError before the method begins. The frame of `reserve` is large, because it declares 512 variables of
// two slots each. HotSpot's compiler tests the frame that its interpreter would need if it had to continue there, also
// where the method is inlined. It leaves that out for a method that it never has to leave, so `reserve` depends on a
// field of which the compiler does not know the value.

/**
 * Test of the room on the caller's stack. A StackOverflowError in the middle of a change would leave the change half
 * done: a queue that no thread serves any more, a buffer that no one gives back. So the methods that applications call,
 * perhaps deep in a recursion, test for room before they change anything. The error that an application gets then says
 * that nothing happened.
 *
 * <p>A method that calls others which test needs more than they do, so that their tests succeed in the middle of its
 * change. StackRoomTest shows how much is enough.
 */
public final class StackRoom {
    /** Pieces for a method that gives memory back. */
    public static final int RELEASE = 1;

    /** Pieces for a method that submits, closes an endpoint, and may give memory back meanwhile. */
    public static final int SUBMIT = 2;

    /** Pieces for a signal of a front-end: it may submit several operations, or end a stream. */
    public static final int SIGNAL = 4;

    /** Pieces for a method that closes something which has many parts. */
    public static final int CLOSE = 8;

    private static int nothing;

    private StackRoom() {}

    /**
     * Tests whether the caller's stack has room.
     *
     * @param pieces of 8 KiB
     * @throws StackOverflowError if there is less
     */
    public static void require(int pieces) {
        reserve(pieces - 1 + nothing);
    }

    /**
     * Returns whether the caller's stack has room.
     *
     * @param pieces of 8 KiB
     */
    public static boolean has(int pieces) {
        try {
            reserve(pieces - 1 + nothing);
            return true;
        } catch (StackOverflowError e) {
            return false;
        }
    }

    @SuppressWarnings("unused")
    private static void reserve(int more) {
        long v000, v001, v002, v003, v004, v005, v006, v007, v008, v009, v010, v011, v012, v013, v014, v015, v016, v017;
        long v018, v019, v020, v021, v022, v023, v024, v025, v026, v027, v028, v029, v030, v031, v032, v033, v034, v035;
        long v036, v037, v038, v039, v040, v041, v042, v043, v044, v045, v046, v047, v048, v049, v050, v051, v052, v053;
        long v054, v055, v056, v057, v058, v059, v060, v061, v062, v063, v064, v065, v066, v067, v068, v069, v070, v071;
        long v072, v073, v074, v075, v076, v077, v078, v079, v080, v081, v082, v083, v084, v085, v086, v087, v088, v089;
        long v090, v091, v092, v093, v094, v095, v096, v097, v098, v099, v100, v101, v102, v103, v104, v105, v106, v107;
        long v108, v109, v110, v111, v112, v113, v114, v115, v116, v117, v118, v119, v120, v121, v122, v123, v124, v125;
        long v126, v127, v128, v129, v130, v131, v132, v133, v134, v135, v136, v137, v138, v139, v140, v141, v142, v143;
        long v144, v145, v146, v147, v148, v149, v150, v151, v152, v153, v154, v155, v156, v157, v158, v159, v160, v161;
        long v162, v163, v164, v165, v166, v167, v168, v169, v170, v171, v172, v173, v174, v175, v176, v177, v178, v179;
        long v180, v181, v182, v183, v184, v185, v186, v187, v188, v189, v190, v191, v192, v193, v194, v195, v196, v197;
        long v198, v199, v200, v201, v202, v203, v204, v205, v206, v207, v208, v209, v210, v211, v212, v213, v214, v215;
        long v216, v217, v218, v219, v220, v221, v222, v223, v224, v225, v226, v227, v228, v229, v230, v231, v232, v233;
        long v234, v235, v236, v237, v238, v239, v240, v241, v242, v243, v244, v245, v246, v247, v248, v249, v250, v251;
        long v252, v253, v254, v255, v256, v257, v258, v259, v260, v261, v262, v263, v264, v265, v266, v267, v268, v269;
        long v270, v271, v272, v273, v274, v275, v276, v277, v278, v279, v280, v281, v282, v283, v284, v285, v286, v287;
        long v288, v289, v290, v291, v292, v293, v294, v295, v296, v297, v298, v299, v300, v301, v302, v303, v304, v305;
        long v306, v307, v308, v309, v310, v311, v312, v313, v314, v315, v316, v317, v318, v319, v320, v321, v322, v323;
        long v324, v325, v326, v327, v328, v329, v330, v331, v332, v333, v334, v335, v336, v337, v338, v339, v340, v341;
        long v342, v343, v344, v345, v346, v347, v348, v349, v350, v351, v352, v353, v354, v355, v356, v357, v358, v359;
        long v360, v361, v362, v363, v364, v365, v366, v367, v368, v369, v370, v371, v372, v373, v374, v375, v376, v377;
        long v378, v379, v380, v381, v382, v383, v384, v385, v386, v387, v388, v389, v390, v391, v392, v393, v394, v395;
        long v396, v397, v398, v399, v400, v401, v402, v403, v404, v405, v406, v407, v408, v409, v410, v411, v412, v413;
        long v414, v415, v416, v417, v418, v419, v420, v421, v422, v423, v424, v425, v426, v427, v428, v429, v430, v431;
        long v432, v433, v434, v435, v436, v437, v438, v439, v440, v441, v442, v443, v444, v445, v446, v447, v448, v449;
        long v450, v451, v452, v453, v454, v455, v456, v457, v458, v459, v460, v461, v462, v463, v464, v465, v466, v467;
        long v468, v469, v470, v471, v472, v473, v474, v475, v476, v477, v478, v479, v480, v481, v482, v483, v484, v485;
        long v486, v487, v488, v489, v490, v491, v492, v493, v494, v495, v496, v497, v498, v499, v500, v501, v502, v503;
        long v504, v505, v506, v507, v508, v509, v510, v511;
        if (more > 0) {
            reserve(more - 1);
        }
    }
}
