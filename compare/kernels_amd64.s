//go:build !purego

#include "textflag.h"

// Every loop keeps: Y15 the mask that clears a sign, Y14 atol, Y13 rtol, Y12 the stand-in for a
// reference of zero, Y11 zero. Comparisons are NLE (6), which a NaN satisfies.

// func f16c() bool
TEXT ·f16c(SB), NOSPLIT, $0-1
	MOVL $1, AX
	XORL CX, CX
	CPUID
	SHRL $29, CX
	ANDL $1, CX
	MOVB CX, ret+0(FP)
	RET

DATA keyBits<>+0(SB)/8, $0x7fffffff7fffffff
DATA keyBits<>+8(SB)/8, $0x7fffffff7fffffff
DATA keyBits<>+16(SB)/8, $0x7fffffff7fffffff
DATA keyBits<>+24(SB)/8, $0x7fffffff7fffffff
GLOBL keyBits<>(SB), RODATA|NOPTR, $32

// GREATEST leaves the greatest of eight keys in the lowest of X, the lower half of Y.
#define GREATEST(Y, X) \
	VEXTRACTI128 $1, Y, X0 \
	VPMAXSD X0, X, X       \
	VPSHUFD $0x4e, X, X0   \
	VPMAXSD X0, X, X       \
	VPSHUFD $0xb1, X, X0   \
	VPMAXSD X0, X, X

// RELATIVE divides the errors in D by the magnitudes of the expected values in Y8, and clears the
// bits of M where the quotient is within rtol. It counts the bits left into CX.
#define RELATIVE(D, M) \
	VANDPS Y8, Y15, Y8        \
	VCMPPS $0, Y11, Y8, Y9    \
	VBLENDVPS Y9, Y12, Y8, Y8 \
	VDIVPS Y8, D, Y8          \
	VCMPPS $6, Y13, Y8, Y8    \
	VANDPS Y8, M, M           \
	VMOVMSKPS M, AX           \
	POPCNTL AX, AX            \
	ADDQ AX, CX

// DECIDE subtracts the expected values in Y4 to Y7 from Y0 to Y3, and goes to SLOW where one of 32
// errors exceeds atol, with the errors in Y0 to Y3 and the masks of those that do in Y4 to Y7.
#define DECIDE(SLOW) \
	VSUBPS Y4, Y0, Y0      \
	VSUBPS Y5, Y1, Y1      \
	VSUBPS Y6, Y2, Y2      \
	VSUBPS Y7, Y3, Y3      \
	VANDPS Y15, Y0, Y0     \
	VANDPS Y15, Y1, Y1     \
	VANDPS Y15, Y2, Y2     \
	VANDPS Y15, Y3, Y3     \
	VCMPPS $6, Y14, Y0, Y4 \
	VCMPPS $6, Y14, Y1, Y5 \
	VCMPPS $6, Y14, Y2, Y6 \
	VCMPPS $6, Y14, Y3, Y7 \
	VORPS Y4, Y5, Y8       \
	VORPS Y6, Y7, Y9       \
	VORPS Y8, Y9, Y8       \
	VMOVMSKPS Y8, AX       \
	TESTL AX, AX           \
	JNZ SLOW

// RELATIVE64 is RELATIVE for float64.
#define RELATIVE64(D, M) \
	VANDPD Y8, Y15, Y8        \
	VCMPPD $0, Y11, Y8, Y9    \
	VBLENDVPD Y9, Y12, Y8, Y8 \
	VDIVPD Y8, D, Y8          \
	VCMPPD $6, Y13, Y8, Y8    \
	VANDPD Y8, M, M           \
	VMOVMSKPD M, AX           \
	POPCNTL AX, AX            \
	ADDQ AX, CX

// func mismatchesAVX2(a, b *float32, n int, atol, rtol, zero float32) int
TEXT ·mismatchesAVX2(SB), NOSPLIT, $0-48
	MOVQ a+0(FP), DI
	MOVQ b+8(FP), SI
	MOVQ n+16(FP), DX
	VBROADCASTSS atol+24(FP), Y14
	VBROADCASTSS rtol+28(FP), Y13
	VBROADCASTSS zero+32(FP), Y12
	VXORPS Y11, Y11, Y11
	VPCMPEQD Y15, Y15, Y15
	VPSRLD $1, Y15, Y15
	XORQ CX, CX

quick:
	VMOVUPS (DI), Y0
	VMOVUPS 32(DI), Y1
	VMOVUPS 64(DI), Y2
	VMOVUPS 96(DI), Y3
	VMOVUPS (SI), Y4
	VMOVUPS 32(SI), Y5
	VMOVUPS 64(SI), Y6
	VMOVUPS 96(SI), Y7
	DECIDE(slow)

next:
	ADDQ $128, DI
	ADDQ $128, SI
	SUBQ $32, DX
	JNZ quick
	VZEROUPPER
	MOVQ CX, ret+40(FP)
	RET

slow:
	VMOVUPS (SI), Y8
	RELATIVE(Y0, Y4)
	VMOVUPS 32(SI), Y8
	RELATIVE(Y1, Y5)
	VMOVUPS 64(SI), Y8
	RELATIVE(Y2, Y6)
	VMOVUPS 96(SI), Y8
	RELATIVE(Y3, Y7)
	JMP next

// func mismatchesF16C(a, b *uint16, n int, atol, rtol, zero float32) int
TEXT ·mismatchesF16C(SB), NOSPLIT, $0-48
	MOVQ a+0(FP), DI
	MOVQ b+8(FP), SI
	MOVQ n+16(FP), DX
	VBROADCASTSS atol+24(FP), Y14
	VBROADCASTSS rtol+28(FP), Y13
	VBROADCASTSS zero+32(FP), Y12
	VXORPS Y11, Y11, Y11
	VPCMPEQD Y15, Y15, Y15
	VPSRLD $1, Y15, Y15
	XORQ CX, CX

quick:
	VCVTPH2PS (DI), Y0
	VCVTPH2PS 16(DI), Y1
	VCVTPH2PS 32(DI), Y2
	VCVTPH2PS 48(DI), Y3
	VCVTPH2PS (SI), Y4
	VCVTPH2PS 16(SI), Y5
	VCVTPH2PS 32(SI), Y6
	VCVTPH2PS 48(SI), Y7
	DECIDE(slow)

next:
	ADDQ $64, DI
	ADDQ $64, SI
	SUBQ $32, DX
	JNZ quick
	VZEROUPPER
	MOVQ CX, ret+40(FP)
	RET

slow:
	VCVTPH2PS (SI), Y8
	RELATIVE(Y0, Y4)
	VCVTPH2PS 16(SI), Y8
	RELATIVE(Y1, Y5)
	VCVTPH2PS 32(SI), Y8
	RELATIVE(Y2, Y6)
	VCVTPH2PS 48(SI), Y8
	RELATIVE(Y3, Y7)
	JMP next

// func mismatchesBrainAVX2(a, b *uint16, n int, atol, rtol, zero float32) int
TEXT ·mismatchesBrainAVX2(SB), NOSPLIT, $0-48
	MOVQ a+0(FP), DI
	MOVQ b+8(FP), SI
	MOVQ n+16(FP), DX
	VBROADCASTSS atol+24(FP), Y14
	VBROADCASTSS rtol+28(FP), Y13
	VBROADCASTSS zero+32(FP), Y12
	VXORPS Y11, Y11, Y11
	VPCMPEQD Y15, Y15, Y15
	VPSRLD $1, Y15, Y15
	XORQ CX, CX

quick:
	VPMOVZXWD (DI), Y0
	VPSLLD $16, Y0, Y0
	VPMOVZXWD 16(DI), Y1
	VPSLLD $16, Y1, Y1
	VPMOVZXWD 32(DI), Y2
	VPSLLD $16, Y2, Y2
	VPMOVZXWD 48(DI), Y3
	VPSLLD $16, Y3, Y3
	VPMOVZXWD (SI), Y4
	VPSLLD $16, Y4, Y4
	VPMOVZXWD 16(SI), Y5
	VPSLLD $16, Y5, Y5
	VPMOVZXWD 32(SI), Y6
	VPSLLD $16, Y6, Y6
	VPMOVZXWD 48(SI), Y7
	VPSLLD $16, Y7, Y7
	DECIDE(slow)

next:
	ADDQ $64, DI
	ADDQ $64, SI
	SUBQ $32, DX
	JNZ quick
	VZEROUPPER
	MOVQ CX, ret+40(FP)
	RET

slow:
	VPMOVZXWD (SI), Y8
	VPSLLD $16, Y8, Y8
	RELATIVE(Y0, Y4)
	VPMOVZXWD 16(SI), Y8
	VPSLLD $16, Y8, Y8
	RELATIVE(Y1, Y5)
	VPMOVZXWD 32(SI), Y8
	VPSLLD $16, Y8, Y8
	RELATIVE(Y2, Y6)
	VPMOVZXWD 48(SI), Y8
	VPSLLD $16, Y8, Y8
	RELATIVE(Y3, Y7)
	JMP next

// func mismatches64AVX2(a, b *float64, n int, atol, rtol, zero float64) int
TEXT ·mismatches64AVX2(SB), NOSPLIT, $0-56
	MOVQ a+0(FP), DI
	MOVQ b+8(FP), SI
	MOVQ n+16(FP), DX
	VBROADCASTSD atol+24(FP), Y14
	VBROADCASTSD rtol+32(FP), Y13
	VBROADCASTSD zero+40(FP), Y12
	VXORPD Y11, Y11, Y11
	VPCMPEQD Y15, Y15, Y15
	VPSRLQ $1, Y15, Y15
	XORQ CX, CX

quick:
	VMOVUPD (DI), Y0
	VMOVUPD 32(DI), Y1
	VSUBPD (SI), Y0, Y0
	VSUBPD 32(SI), Y1, Y1
	VANDPD Y15, Y0, Y0
	VANDPD Y15, Y1, Y1
	VCMPPD $6, Y14, Y0, Y4
	VCMPPD $6, Y14, Y1, Y5
	VORPD Y4, Y5, Y8
	VMOVMSKPD Y8, AX
	TESTL AX, AX
	JNZ slow

next:
	ADDQ $64, DI
	ADDQ $64, SI
	SUBQ $8, DX
	JNZ quick
	VZEROUPPER
	MOVQ CX, ret+48(FP)
	RET

slow:
	VMOVUPD (SI), Y8
	RELATIVE64(Y0, Y4)
	VMOVUPD 32(SI), Y8
	RELATIVE64(Y1, Y5)
	JMP next

// func withinBytesAVX2(a, b *uint8, n int, flip, most, within uint8) int
TEXT ·withinBytesAVX2(SB), NOSPLIT, $0-40
	MOVQ a+0(FP), DI
	MOVQ b+8(FP), SI
	MOVQ n+16(FP), DX
	VPBROADCASTB flip+24(FP), Y15
	VPBROADCASTB most+25(FP), Y14
	VPBROADCASTB within+26(FP), Y13
	XORQ CX, CX

bytes:
	VMOVDQU (DI)(CX*1), Y0
	VMOVDQU 32(DI)(CX*1), Y1
	VMOVDQU (SI)(CX*1), Y2
	VMOVDQU 32(SI)(CX*1), Y3
	VPMINUB Y14, Y0, Y0
	VPMINUB Y14, Y1, Y1
	VPMINUB Y14, Y2, Y2
	VPMINUB Y14, Y3, Y3
	VPXOR Y15, Y0, Y0
	VPXOR Y15, Y1, Y1
	VPXOR Y15, Y2, Y2
	VPXOR Y15, Y3, Y3
	VPSUBUSB Y0, Y2, Y4
	VPSUBUSB Y2, Y0, Y0
	VPSUBUSB Y1, Y3, Y5
	VPSUBUSB Y3, Y1, Y1
	VPOR Y4, Y0, Y0
	VPOR Y5, Y1, Y1
	VPMAXUB Y0, Y1, Y0
	VPSUBUSB Y13, Y0, Y0
	VPTEST Y0, Y0
	JNZ exceeded
	ADDQ $64, CX
	CMPQ CX, DX
	JLT bytes

exceeded:
	VZEROUPPER
	MOVQ CX, ret+32(FP)
	RET

// func errorsAVX2(abs, rel, a, b *float32, n int, zero float32)
TEXT ·errorsAVX2(SB), NOSPLIT, $0-44
	MOVQ abs+0(FP), R8
	MOVQ rel+8(FP), R9
	MOVQ a+16(FP), DI
	MOVQ b+24(FP), SI
	MOVQ n+32(FP), DX
	VBROADCASTSS zero+40(FP), Y12
	VXORPS Y11, Y11, Y11
	VPCMPEQD Y15, Y15, Y15
	VPSRLD $1, Y15, Y15
	XORQ CX, CX

errors:
	VMOVUPS (DI)(CX*4), Y0
	VMOVUPS (SI)(CX*4), Y1
	VSUBPS Y1, Y0, Y0
	VANDPS Y15, Y0, Y0
	VANDPS Y15, Y1, Y1
	VCMPPS $0, Y11, Y1, Y2
	VBLENDVPS Y2, Y12, Y1, Y1
	VDIVPS Y1, Y0, Y3
	VMOVUPS Y0, (R8)(CX*4)
	VMOVUPS Y3, (R9)(CX*4)
	ADDQ $8, CX
	CMPQ CX, DX
	JLT errors
	VZEROUPPER
	RET

// func foldAVX2(abs, rel *float32, n int, absSums, relSums *lanes) (greatestAbs, greatestRel uint32)
TEXT ·foldAVX2(SB), NOSPLIT, $0-48
	MOVQ abs+0(FP), SI
	MOVQ rel+8(FP), DI
	MOVQ n+16(FP), DX
	MOVQ absSums+24(FP), R8
	MOVQ relSums+32(FP), R9
	VMOVUPD (R8), Y4
	VMOVUPD 32(R8), Y5
	VMOVUPD (R9), Y6
	VMOVUPD 32(R9), Y7
	VPXOR Y8, Y8, Y8
	VPXOR Y9, Y9, Y9
	VMOVDQU keyBits<>(SB), Y15
	XORQ CX, CX

fold:
	VPAND (SI)(CX*4), Y15, Y0
	VPAND (DI)(CX*4), Y15, Y1
	VCVTPS2PD (SI)(CX*4), Y10
	VCVTPS2PD 16(SI)(CX*4), Y11
	VCVTPS2PD (DI)(CX*4), Y12
	VCVTPS2PD 16(DI)(CX*4), Y13
	VPMAXSD Y0, Y8, Y8
	VPMAXSD Y1, Y9, Y9
	VADDPD Y10, Y4, Y4
	VADDPD Y11, Y5, Y5
	VADDPD Y12, Y6, Y6
	VADDPD Y13, Y7, Y7
	ADDQ $8, CX
	CMPQ CX, DX
	JLT fold

	VMOVUPD Y4, (R8)
	VMOVUPD Y5, 32(R8)
	VMOVUPD Y6, (R9)
	VMOVUPD Y7, 32(R9)
	GREATEST(Y8, X8)
	VMOVSS X8, greatestAbs+40(FP)
	GREATEST(Y9, X9)
	VMOVSS X9, greatestRel+44(FP)
	VZEROUPPER
	RET

// func halvesF16C(dst *float32, src *uint16, n int)
TEXT ·halvesF16C(SB), NOSPLIT, $0-24
	MOVQ dst+0(FP), DI
	MOVQ src+8(FP), SI
	MOVQ n+16(FP), DX
	XORQ CX, CX

halves:
	VCVTPH2PS (SI)(CX*2), Y0
	VMOVUPS Y0, (DI)(CX*4)
	ADDQ $8, CX
	CMPQ CX, DX
	JLT halves
	VZEROUPPER
	RET

// TOTAL adds the eight counts of Y, whose lower half is X, to a number in memory.
#define TOTAL(Y, X, TO) \
	VEXTRACTI128 $1, Y, X0  \
	VPADDD X0, X, X         \
	VPSHUFD $0x4e, X, X0    \
	VPADDD X0, X, X         \
	VPSHUFD $0xb1, X, X0    \
	VPADDD X0, X, X         \
	VMOVD X, AX             \
	ADDQ AX, TO

// func countAVX2(keys *uint32, n int, below *[10][8]int32, above *[10]int, edges int)
TEXT ·countAVX2(SB), NOSPLIT, $0-40
	MOVQ keys+0(FP), SI
	MOVQ n+8(FP), DX
	MOVQ below+16(FP), DI
	MOVQ above+24(FP), R8
	MOVQ edges+32(FP), R11
	VPXOR Y4, Y4, Y4
	VPXOR Y5, Y5, Y5
	VPXOR Y6, Y6, Y6
	VPXOR Y7, Y7, Y7
	VPXOR Y8, Y8, Y8
	VPXOR Y9, Y9, Y9
	VPXOR Y10, Y10, Y10
	VPXOR Y11, Y11, Y11
	VPXOR Y12, Y12, Y12
	VPXOR Y13, Y13, Y13
	VMOVDQU keyBits<>(SB), Y3
	XORQ CX, CX
	CMPQ R11, $2
	JLE two
	CMPQ R11, $5
	JLE five

ten:
	VPAND (SI)(CX*4), Y3, Y0
	VPCMPGTD 0(DI), Y0, Y1
	VPSUBD Y1, Y4, Y4
	VPCMPGTD 32(DI), Y0, Y2
	VPSUBD Y2, Y5, Y5
	VPCMPGTD 64(DI), Y0, Y1
	VPSUBD Y1, Y6, Y6
	VPCMPGTD 96(DI), Y0, Y2
	VPSUBD Y2, Y7, Y7
	VPCMPGTD 128(DI), Y0, Y1
	VPSUBD Y1, Y8, Y8
	VPCMPGTD 160(DI), Y0, Y2
	VPSUBD Y2, Y9, Y9
	VPCMPGTD 192(DI), Y0, Y1
	VPSUBD Y1, Y10, Y10
	VPCMPGTD 224(DI), Y0, Y2
	VPSUBD Y2, Y11, Y11
	VPCMPGTD 256(DI), Y0, Y1
	VPSUBD Y1, Y12, Y12
	VPCMPGTD 288(DI), Y0, Y2
	VPSUBD Y2, Y13, Y13
	ADDQ $8, CX
	CMPQ CX, DX
	JLT ten
	JMP counted

five:
	VPAND (SI)(CX*4), Y3, Y0
	VPCMPGTD 0(DI), Y0, Y1
	VPSUBD Y1, Y4, Y4
	VPCMPGTD 32(DI), Y0, Y2
	VPSUBD Y2, Y5, Y5
	VPCMPGTD 64(DI), Y0, Y1
	VPSUBD Y1, Y6, Y6
	VPCMPGTD 96(DI), Y0, Y2
	VPSUBD Y2, Y7, Y7
	VPCMPGTD 128(DI), Y0, Y1
	VPSUBD Y1, Y8, Y8
	ADDQ $8, CX
	CMPQ CX, DX
	JLT five
	JMP counted

two:
	VPAND (SI)(CX*4), Y3, Y0
	VPCMPGTD 0(DI), Y0, Y1
	VPSUBD Y1, Y4, Y4
	VPCMPGTD 32(DI), Y0, Y2
	VPSUBD Y2, Y5, Y5
	ADDQ $8, CX
	CMPQ CX, DX
	JLT two

counted:
	TOTAL(Y4, X4, (R8))
	TOTAL(Y5, X5, 8(R8))
	TOTAL(Y6, X6, 16(R8))
	TOTAL(Y7, X7, 24(R8))
	TOTAL(Y8, X8, 32(R8))
	TOTAL(Y9, X9, 40(R8))
	TOTAL(Y10, X10, 48(R8))
	TOTAL(Y11, X11, 56(R8))
	TOTAL(Y12, X12, 64(R8))
	TOTAL(Y13, X13, 72(R8))
	VZEROUPPER
	RET

// BRACKET counts the keys of Y0 above LO in ABOVE, and adds to the mask Y3 those that are not
// above HI.
#define BRACKET(LO, HI, ABOVE) \
	VPCMPGTD LO, Y0, Y1        \
	VPCMPGTD HI, Y0, Y2        \
	VPSUBD Y1, ABOVE, ABOVE    \
	VPANDN Y1, Y2, Y2          \
	VPOR Y2, Y3, Y3

// func sieveAVX2(keys *uint32, n int, below *[8]int32, above *[4]int, kept *uint32, one bool) int
TEXT ·sieveAVX2(SB), NOSPLIT, $0-56
	MOVQ keys+0(FP), SI
	MOVQ n+8(FP), DX
	MOVQ below+16(FP), DI
	MOVQ above+24(FP), R8
	MOVQ kept+32(FP), R9
	MOVBLZX one+40(FP), R11
	VPBROADCASTD (DI), Y4
	VPBROADCASTD 4(DI), Y8
	VPBROADCASTD 8(DI), Y5
	VPBROADCASTD 12(DI), Y9
	VPBROADCASTD 16(DI), Y6
	VPBROADCASTD 20(DI), Y10
	VPBROADCASTD 24(DI), Y7
	VPBROADCASTD 28(DI), Y11
	VPXOR Y12, Y12, Y12
	VPXOR Y13, Y13, Y13
	VPXOR Y14, Y14, Y14
	VPXOR Y15, Y15, Y15
	MOVQ R9, DI
	XORQ CX, CX
	TESTQ R11, R11
	JNZ single

several:
	VMOVDQU (SI)(CX*4), Y0
	VPAND keyBits<>(SB), Y0, Y0
	VPXOR Y3, Y3, Y3
	BRACKET(Y4, Y8, Y12)
	BRACKET(Y5, Y9, Y13)
	BRACKET(Y6, Y10, Y14)
	BRACKET(Y7, Y11, Y15)
	VMOVMSKPS Y3, AX
	TESTL AX, AX
	JNZ keep

more:
	ADDQ $8, CX
	CMPQ CX, DX
	JLT several
	JMP done

keep:
	BSFL AX, BX
	ADDQ CX, BX
	MOVL (SI)(BX*4), R10
	ANDL $0x7fffffff, R10
	MOVL R10, (DI)
	ADDQ $4, DI
	LEAL -1(AX), BX
	ANDL BX, AX
	JNZ keep
	JMP more

single:
	VMOVDQU (SI)(CX*4), Y0
	VPAND keyBits<>(SB), Y0, Y0
	VPXOR Y3, Y3, Y3
	BRACKET(Y4, Y8, Y12)
	VMOVMSKPS Y3, AX
	TESTL AX, AX
	JNZ keepSingle

moreSingle:
	ADDQ $8, CX
	CMPQ CX, DX
	JLT single
	JMP done

keepSingle:
	BSFL AX, BX
	ADDQ CX, BX
	MOVL (SI)(BX*4), R10
	ANDL $0x7fffffff, R10
	MOVL R10, (DI)
	ADDQ $4, DI
	LEAL -1(AX), BX
	ANDL BX, AX
	JNZ keepSingle
	JMP moreSingle

done:
	TOTAL(Y12, X12, (R8))
	TOTAL(Y13, X13, 8(R8))
	TOTAL(Y14, X14, 16(R8))
	TOTAL(Y15, X15, 24(R8))
	VZEROUPPER
	SUBQ R9, DI
	SHRQ $2, DI
	MOVQ DI, ret+48(FP)
	RET

// func sumLanesAVX2(values *float32, n int, l *sideLanes)
TEXT ·sumLanesAVX2(SB), NOSPLIT, $0-24
	MOVQ values+0(FP), SI
	MOVQ n+8(FP), DX
	MOVQ l+16(FP), DI
	VXORPD Y4, Y4, Y4
	VXORPD Y5, Y5, Y5
	VXORPD Y6, Y6, Y6
	VXORPD Y7, Y7, Y7
	XORQ CX, CX

sum:
	VCVTPS2PD (SI)(CX*4), Y0
	VCVTPS2PD 16(SI)(CX*4), Y1
	VCVTPS2PD 32(SI)(CX*4), Y2
	VCVTPS2PD 48(SI)(CX*4), Y3
	VADDPD Y0, Y4, Y4
	VADDPD Y1, Y5, Y5
	VADDPD Y2, Y6, Y6
	VADDPD Y3, Y7, Y7
	ADDQ $16, CX
	CMPQ CX, DX
	JLT sum
	VMOVUPD Y4, (DI)
	VMOVUPD Y5, 32(DI)
	VMOVUPD Y6, 64(DI)
	VMOVUPD Y7, 96(DI)
	VZEROUPPER
	RET

// func squareLanesAVX2(values *float32, n int, mean float64, l *sideLanes)
TEXT ·squareLanesAVX2(SB), NOSPLIT, $0-32
	MOVQ values+0(FP), SI
	MOVQ n+8(FP), DX
	VBROADCASTSD mean+16(FP), Y8
	MOVQ l+24(FP), DI
	VXORPD Y4, Y4, Y4
	VXORPD Y5, Y5, Y5
	VXORPD Y6, Y6, Y6
	VXORPD Y7, Y7, Y7
	XORQ CX, CX

squares:
	VCVTPS2PD (SI)(CX*4), Y0
	VCVTPS2PD 16(SI)(CX*4), Y1
	VCVTPS2PD 32(SI)(CX*4), Y2
	VCVTPS2PD 48(SI)(CX*4), Y3
	VSUBPD Y8, Y0, Y0
	VSUBPD Y8, Y1, Y1
	VSUBPD Y8, Y2, Y2
	VSUBPD Y8, Y3, Y3
	VMULPD Y0, Y0, Y0
	VMULPD Y1, Y1, Y1
	VMULPD Y2, Y2, Y2
	VMULPD Y3, Y3, Y3
	VADDPD Y0, Y4, Y4
	VADDPD Y1, Y5, Y5
	VADDPD Y2, Y6, Y6
	VADDPD Y3, Y7, Y7
	ADDQ $16, CX
	CMPQ CX, DX
	JLT squares
	VMOVUPD Y4, (DI)
	VMOVUPD Y5, 32(DI)
	VMOVUPD Y6, 64(DI)
	VMOVUPD Y7, 96(DI)
	VZEROUPPER
	RET
