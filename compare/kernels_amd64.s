//go:build !purego

#include "textflag.h"

// Y15 is the mask that clears a sign, Y14 atol, Y13 rtol, Y12 what replaces an expected value of
// zero, and Y11 zero. Comparisons are NLE (6), which a NaN satisfies, or UNORD (3), which only a NaN
// satisfies.
//
// They prefetch 2 KiB ahead: processors prefetch by themselves, but not beyond a page of 4 KiB.

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
	PREFETCHT0 2048(DI)
	PREFETCHT0 2048(SI)
	PREFETCHT0 2112(DI)
	PREFETCHT0 2112(SI)
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

// func f16c() bool
TEXT ·f16c(SB), NOSPLIT, $0-1
	MOVL $1, AX
	XORL CX, CX
	CPUID
	SHRL $29, CX
	ANDL $1, CX
	MOVB CX, ret+0(FP)
	RET

// func widenF16C(wide *float32, halves *uint16, n int)
TEXT ·widenF16C(SB), NOSPLIT, $0-24
	MOVQ wide+0(FP), DI
	MOVQ halves+8(FP), SI
	MOVQ n+16(FP), DX
	XORQ CX, CX

widen:
	PREFETCHT0 2048(SI)(CX*2)
	VCVTPH2PS (SI)(CX*2), Y0
	VMOVUPS Y0, (DI)(CX*4)
	ADDQ $8, CX
	CMPQ CX, DX
	JLT widen
	VZEROUPPER
	RET

// TOTAL stores the sum of the lanes of Y, whose lower half is X.
#define TOTAL(Y, X, TO) \
	VEXTRACTI128 $1, Y, X10 \
	VPADDD X10, X, X        \
	VPSHUFD $0x4e, X, X10   \
	VPADDD X10, X, X        \
	VPSHUFD $0xb1, X, X10   \
	VPADDD X10, X, X        \
	VMOVD X, TO

// func errorsAVX2(abs, rel, a, b *float32, n int, zero float32,
//     absSums, relSums *lanes) (greatestAbs, greatestRel uint32)
TEXT ·errorsAVX2(SB), NOSPLIT, $0-72
	MOVQ abs+0(FP), R8
	MOVQ rel+8(FP), R9
	MOVQ a+16(FP), DI
	MOVQ b+24(FP), SI
	MOVQ n+32(FP), DX
	VBROADCASTSS zero+40(FP), Y12
	MOVQ absSums+48(FP), R10
	MOVQ relSums+56(FP), R11
	VMOVUPD (R10), Y4
	VMOVUPD 32(R10), Y5
	VMOVUPD (R11), Y6
	VMOVUPD 32(R11), Y7
	VXORPS Y11, Y11, Y11
	VPXOR Y9, Y9, Y9
	VPXOR Y10, Y10, Y10
	VPCMPEQD Y15, Y15, Y15
	VPSRLD $1, Y15, Y15
	XORQ CX, CX

errors:
	PREFETCHT0 2048(DI)(CX*4)
	PREFETCHT0 2048(SI)(CX*4)
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
	VPAND Y15, Y3, Y3
	VPMAXSD Y0, Y9, Y9
	VPMAXSD Y3, Y10, Y10
	VCVTPS2PD (R8)(CX*4), Y0
	VCVTPS2PD 16(R8)(CX*4), Y1
	VCVTPS2PD (R9)(CX*4), Y2
	VCVTPS2PD 16(R9)(CX*4), Y3
	VADDPD Y0, Y4, Y4
	VADDPD Y1, Y5, Y5
	VADDPD Y2, Y6, Y6
	VADDPD Y3, Y7, Y7
	ADDQ $8, CX
	CMPQ CX, DX
	JLT errors

	VMOVUPD Y4, (R10)
	VMOVUPD Y5, 32(R10)
	VMOVUPD Y6, (R11)
	VMOVUPD Y7, 32(R11)
	GREATEST(Y9, X9)
	VMOVSS X9, greatestAbs+64(FP)
	GREATEST(Y10, X10)
	VMOVSS X10, greatestRel+68(FP)
	VZEROUPPER
	RET

// func finiteAVX2(errors *float32, n int, sums *lanes, odd *[2]uint32) (greatest uint32)
TEXT ·finiteAVX2(SB), NOSPLIT, $0-36
	MOVQ errors+0(FP), SI
	MOVQ n+8(FP), DX
	MOVQ sums+16(FP), R10
	MOVQ odd+24(FP), BX
	VMOVUPD (R10), Y4
	VMOVUPD 32(R10), Y5
	VPXOR Y8, Y8, Y8
	VPXOR Y9, Y9, Y9
	VPXOR Y11, Y11, Y11
	XORQ CX, CX

finite: // Y1 becomes Y0 with zeros instead of NaN and infinities
	VMOVUPS (SI)(CX*4), Y0
	VSUBPS Y0, Y0, Y1
	VCMPPS $3, Y1, Y1, Y1
	VPSUBD Y1, Y8, Y8
	VPANDN Y0, Y1, Y1
	VCMPPS $3, Y0, Y0, Y0
	VPSUBD Y0, Y11, Y11
	VPMAXSD Y1, Y9, Y9
	VCVTPS2PD X1, Y0
	VADDPD Y0, Y4, Y4
	VEXTRACTF128 $1, Y1, X1
	VCVTPS2PD X1, Y1
	VADDPD Y1, Y5, Y5
	ADDQ $8, CX
	CMPQ CX, DX
	JLT finite

	VMOVUPD Y4, (R10)
	VMOVUPD Y5, 32(R10)
	TOTAL(Y8, X8, (BX))
	TOTAL(Y11, X11, 4(BX))
	GREATEST(Y9, X9)
	VMOVSS X9, greatest+32(FP)
	VZEROUPPER
	RET

// BELOW adds 1 to the lanes of SUM in which the key in Y10 is less than POINT.
#define BELOW(POINT, SUM) \
	VPCMPGTD Y10, POINT, Y11 \
	VPSUBD Y11, SUM, SUM

// func tallyAVX2(keys, kept *uint32, n int, by *group, below *[5]uint32) int
TEXT ·tallyAVX2(SB), NOSPLIT, $0-48
	MOVQ keys+0(FP), SI
	MOVQ kept+8(FP), DI
	MOVQ n+16(FP), DX
	MOVQ by+24(FP), BX
	MOVQ DI, R9
	VPBROADCASTD (BX), Y0
	VPBROADCASTD 4(BX), Y1
	VPBROADCASTD 8(BX), Y2
	VPBROADCASTD 12(BX), Y3
	VPBROADCASTD 16(BX), Y4
	VPBROADCASTD 20(BX), Y12
	VPBROADCASTD 24(BX), Y13
	VPXOR Y5, Y5, Y5
	VPXOR Y6, Y6, Y6
	VPXOR Y7, Y7, Y7
	VPXOR Y8, Y8, Y8
	VPXOR Y9, Y9, Y9
	VPCMPEQD Y15, Y15, Y15
	VPSRLD $1, Y15, Y15

tally:
	VPAND (SI), Y15, Y10
	BELOW(Y0, Y5)
	BELOW(Y1, Y6)
	BELOW(Y2, Y7)
	BELOW(Y3, Y8)
	BELOW(Y4, Y9)
	VPCMPGTD Y10, Y12, Y11
	VPCMPGTD Y13, Y10, Y14
	VPOR Y14, Y11, Y11
	VMOVMSKPS Y11, AX
	XORL $0xff, AX
	JNZ keep

tallied:
	ADDQ $32, SI
	SUBQ $8, DX
	JNZ tally
	MOVQ below+32(FP), BX
	TOTAL(Y5, X5, (BX))
	TOTAL(Y6, X6, 4(BX))
	TOTAL(Y7, X7, 8(BX))
	TOTAL(Y8, X8, 12(BX))
	TOTAL(Y9, X9, 16(BX))
	VZEROUPPER
	SUBQ R9, DI
	SHRQ $2, DI
	MOVQ DI, ret+40(FP)
	RET

keep:
	BSFL AX, CX
	MOVL (SI)(CX*4), R8
	ANDL $0x7fffffff, R8
	MOVL R8, (DI)
	ADDQ $4, DI
	LEAL -1(AX), CX
	ANDL CX, AX
	JNZ keep
	JMP tallied
