//go:build !purego

#include "textflag.h"

// The loops of kernels_amd64.s, sixteen float32 at a time. Z15 is the mask that clears a sign.

#define SIGNS \
	VPTERNLOGD $0xff, Z15, Z15, Z15 \
	VPSRLD $1, Z15, Z15

// RELATIVE divides the errors in D by the magnitudes of the expected values at AT, and counts into
// CX those of K whose quotient exceeds rtol.
#define RELATIVE(AT, D, K) \
	VMOVUPS AT, Z8             \
	VPTESTNMD Z15, Z8, K5      \
	VPANDD Z15, Z8, Z8         \
	VMOVAPS Z12, K5, Z8        \
	VDIVPS Z8, D, Z8           \
	VCMPPS $6, Z13, Z8, K, K   \
	KMOVW K, AX                \
	POPCNTL AX, AX             \
	ADDQ AX, CX

// func mismatchesAVX512(a, b *float32, n int, atol, rtol, zero float32) int
TEXT ·mismatchesAVX512(SB), NOSPLIT, $0-48
	MOVQ a+0(FP), DI
	MOVQ b+8(FP), SI
	MOVQ n+16(FP), DX
	VBROADCASTSS atol+24(FP), Z14
	VBROADCASTSS rtol+28(FP), Z13
	VBROADCASTSS zero+32(FP), Z12
	SIGNS
	XORQ CX, CX

quick: // what follows in memory is asked for early: processors do not look beyond a page
	PREFETCHT0 2048(DI)
	PREFETCHT0 2048(SI)
	PREFETCHT0 2112(DI)
	PREFETCHT0 2112(SI)
	PREFETCHT0 2176(DI)
	PREFETCHT0 2176(SI)
	PREFETCHT0 2240(DI)
	PREFETCHT0 2240(SI)
	VMOVUPS (DI), Z0
	VMOVUPS 64(DI), Z1
	VMOVUPS 128(DI), Z2
	VMOVUPS 192(DI), Z3
	VSUBPS (SI), Z0, Z0
	VSUBPS 64(SI), Z1, Z1
	VSUBPS 128(SI), Z2, Z2
	VSUBPS 192(SI), Z3, Z3
	VPANDD Z15, Z0, Z0
	VPANDD Z15, Z1, Z1
	VPANDD Z15, Z2, Z2
	VPANDD Z15, Z3, Z3
	VCMPPS $6, Z14, Z0, K1
	VCMPPS $6, Z14, Z1, K2
	VCMPPS $6, Z14, Z2, K3
	VCMPPS $6, Z14, Z3, K4
	KORW K1, K2, K5
	KORW K3, K4, K6
	KORTESTW K5, K6
	JNZ slow

next:
	ADDQ $256, DI
	ADDQ $256, SI
	SUBQ $64, DX
	JNZ quick
	VZEROUPPER
	MOVQ CX, ret+40(FP)
	RET

slow:
	RELATIVE((SI), Z0, K1)
	RELATIVE(64(SI), Z1, K2)
	RELATIVE(128(SI), Z2, K3)
	RELATIVE(192(SI), Z3, K4)
	JMP next

// func errorsAVX512(abs, rel, a, b *float32, n int, zero float32)
TEXT ·errorsAVX512(SB), NOSPLIT, $0-44
	MOVQ abs+0(FP), R8
	MOVQ rel+8(FP), R9
	MOVQ a+16(FP), DI
	MOVQ b+24(FP), SI
	MOVQ n+32(FP), DX
	VBROADCASTSS zero+40(FP), Z12
	SIGNS
	XORQ CX, CX

errors:
	VMOVUPS (DI)(CX*4), Z0
	VMOVUPS (SI)(CX*4), Z1
	PREFETCHT0 4096(DI)(CX*4) // the next strip, which is asked for once this one is folded
	PREFETCHT0 4096(SI)(CX*4)
	VSUBPS Z1, Z0, Z0
	VPTESTNMD Z15, Z1, K1
	VPANDD Z15, Z0, Z0
	VPANDD Z15, Z1, Z1
	VMOVAPS Z12, K1, Z1
	VDIVPS Z1, Z0, Z3
	VMOVUPS Z0, (R8)(CX*4)
	VMOVUPS Z3, (R9)(CX*4)
	ADDQ $16, CX
	CMPQ CX, DX
	JLT errors
	VZEROUPPER
	RET

// GREATEST leaves the greatest of sixteen keys in the lowest of X, whose register is Y and Z.
#define GREATEST(Z, Y, X) \
	VEXTRACTI64X4 $1, Z, Y0  \
	VPMAXUD Y0, Y, Y         \
	VEXTRACTI128 $1, Y, X0   \
	VPMAXUD X0, X, X         \
	VPSHUFD $0x4e, X, X0     \
	VPMAXUD X0, X, X         \
	VPSHUFD $0xb1, X, X0     \
	VPMAXUD X0, X, X

// func foldAVX512(abs, rel *float32, n int, absSums, relSums *lanes) (
//     greatestAbs, greatestRel uint32)
TEXT ·foldAVX512(SB), NOSPLIT, $0-48
	MOVQ abs+0(FP), SI
	MOVQ rel+8(FP), DI
	MOVQ n+16(FP), DX
	MOVQ absSums+24(FP), R8
	MOVQ relSums+32(FP), R9
	VMOVUPD (R8), Z4
	VMOVUPD (R9), Z6
	VPXORD Z8, Z8, Z8
	VPXORD Z9, Z9, Z9
	SIGNS
	XORQ CX, CX

fold:
	VPANDD (SI)(CX*4), Z15, Z0
	VPANDD (DI)(CX*4), Z15, Z1
	VCVTPS2PD (SI)(CX*4), Z10
	VCVTPS2PD 32(SI)(CX*4), Z11
	VCVTPS2PD (DI)(CX*4), Z12
	VCVTPS2PD 32(DI)(CX*4), Z13
	VPMAXUD Z0, Z8, Z8
	VPMAXUD Z1, Z9, Z9
	VADDPD Z10, Z4, Z4
	VADDPD Z12, Z6, Z6
	VADDPD Z11, Z4, Z4
	VADDPD Z13, Z6, Z6
	ADDQ $16, CX
	CMPQ CX, DX
	JLT fold

	VMOVUPD Z4, (R8)
	VMOVUPD Z6, (R9)
	GREATEST(Z8, Y8, X8)
	VMOVSS X8, greatestAbs+40(FP)
	GREATEST(Z9, Y9, X9)
	VMOVSS X9, greatestRel+44(FP)
	VZEROUPPER
	RET

// TOTAL adds the sixteen counts of Z, whose register is Y and X, to a number in memory.
#define TOTAL(Z, Y, X, TO) \
	VEXTRACTI64X4 $1, Z, Y0 \
	VPADDD Y0, Y, Y         \
	VEXTRACTI128 $1, Y, X0  \
	VPADDD X0, X, X         \
	VPSHUFD $0x4e, X, X0    \
	VPADDD X0, X, X         \
	VPSHUFD $0xb1, X, X0    \
	VPADDD X0, X, X         \
	VMOVD X, AX             \
	ADDQ AX, TO

// ABOVE counts in TO the keys of Z0 that are not below EDGE.
#define ABOVE(EDGE, K, TO) \
	VPCMPUD $5, EDGE, Z0, K \
	VPADDD Z14, TO, K, TO

// func countAVX512(keys *uint32, n int, edges *[10]uint32, above *[10]int, two bool)
TEXT ·countAVX512(SB), NOSPLIT, $0-33
	MOVQ keys+0(FP), SI
	MOVQ n+8(FP), DX
	MOVQ edges+16(FP), DI
	MOVQ above+24(FP), R8
	MOVBLZX two+32(FP), R11
	SIGNS
	VPSRLD $30, Z15, Z14 // ones
	VPBROADCASTD (DI), Z16
	VPBROADCASTD 4(DI), Z17
	VPBROADCASTD 8(DI), Z18
	VPBROADCASTD 12(DI), Z19
	VPBROADCASTD 16(DI), Z20
	VPBROADCASTD 20(DI), Z21
	VPBROADCASTD 24(DI), Z22
	VPBROADCASTD 28(DI), Z23
	VPBROADCASTD 32(DI), Z24
	VPBROADCASTD 36(DI), Z25
	VPXORD Z4, Z4, Z4
	VPXORD Z5, Z5, Z5
	VPXORD Z6, Z6, Z6
	VPXORD Z7, Z7, Z7
	VPXORD Z8, Z8, Z8
	VPXORD Z9, Z9, Z9
	VPXORD Z10, Z10, Z10
	VPXORD Z11, Z11, Z11
	VPXORD Z12, Z12, Z12
	VPXORD Z13, Z13, Z13
	XORQ CX, CX
	TESTQ R11, R11
	JNZ pair

ten:
	VPANDD (SI)(CX*4), Z15, Z0
	ABOVE(Z16, K1, Z4)
	ABOVE(Z17, K2, Z5)
	ABOVE(Z18, K3, Z6)
	ABOVE(Z19, K4, Z7)
	ABOVE(Z20, K5, Z8)
	ABOVE(Z21, K6, Z9)
	ABOVE(Z22, K7, Z10)
	ABOVE(Z23, K1, Z11)
	ABOVE(Z24, K2, Z12)
	ABOVE(Z25, K3, Z13)
	ADDQ $16, CX
	CMPQ CX, DX
	JLT ten
	JMP counted

pair:
	VPANDD (SI)(CX*4), Z15, Z0
	ABOVE(Z16, K1, Z4)
	ABOVE(Z17, K2, Z5)
	ADDQ $16, CX
	CMPQ CX, DX
	JLT pair

counted:
	TOTAL(Z4, Y4, X4, (R8))
	TOTAL(Z5, Y5, X5, 8(R8))
	TOTAL(Z6, Y6, X6, 16(R8))
	TOTAL(Z7, Y7, X7, 24(R8))
	TOTAL(Z8, Y8, X8, 32(R8))
	TOTAL(Z9, Y9, X9, 40(R8))
	TOTAL(Z10, Y10, X10, 48(R8))
	TOTAL(Z11, Y11, X11, 56(R8))
	TOTAL(Z12, Y12, X12, 64(R8))
	TOTAL(Z13, Y13, X13, 72(R8))
	VZEROUPPER
	RET

// BRACKET counts the keys of Z0 from LO on in COUNT, and leaves in K those less than WIDTH above.
#define BRACKET(LO, WIDTH, COUNT, K) \
	VPSUBD LO, Z0, Z1          \
	VPCMPUD $5, LO, Z0, K5     \
	VPCMPUD $1, WIDTH, Z1, K   \
	VPADDD Z14, COUNT, K5, COUNT

// KEEP copies the keys of Z0 whose bits K2 has to (R9)(BX*4), and adds to BX how many they are.
#define KEEP \
	VPCOMPRESSD.Z Z0, K2, Z1    \
	KMOVW K2, AX                \
	VMOVDQU32 Z1, (R9)(BX*4)    \
	POPCNTL AX, AX              \
	ADDQ AX, BX

// func sieveAVX512(keys *uint32, n int, los, widths *[4]uint32, above *[4]int, kept *uint32,
//     one bool) int
TEXT ·sieveAVX512(SB), NOSPLIT, $0-64
	MOVQ keys+0(FP), SI
	MOVQ n+8(FP), DX
	MOVQ los+16(FP), DI
	MOVQ widths+24(FP), R10
	MOVQ above+32(FP), R8
	MOVQ kept+40(FP), R9
	MOVBLZX one+48(FP), R11
	SIGNS
	VPSRLD $30, Z15, Z14 // ones
	VPBROADCASTD (DI), Z16
	VPBROADCASTD 4(DI), Z17
	VPBROADCASTD 8(DI), Z18
	VPBROADCASTD 12(DI), Z19
	VPBROADCASTD (R10), Z8
	VPBROADCASTD 4(R10), Z9
	VPBROADCASTD 8(R10), Z10
	VPBROADCASTD 12(R10), Z11
	VPXORD Z4, Z4, Z4
	VPXORD Z5, Z5, Z5
	VPXORD Z6, Z6, Z6
	VPXORD Z7, Z7, Z7
	XORQ CX, CX
	XORQ BX, BX
	TESTQ R11, R11
	JNZ single

several:
	VPANDD (SI)(CX*4), Z15, Z0
	BRACKET(Z16, Z8, Z4, K1)
	BRACKET(Z17, Z9, Z5, K2)
	BRACKET(Z18, Z10, Z6, K3)
	BRACKET(Z19, Z11, Z7, K4)
	KORW K1, K2, K1
	KORW K3, K4, K2
	KORW K1, K2, K2
	KEEP
	ADDQ $16, CX
	CMPQ CX, DX
	JLT several
	JMP sieved

single:
	VPANDD (SI)(CX*4), Z15, Z0
	BRACKET(Z16, Z8, Z4, K2)
	KEEP
	ADDQ $16, CX
	CMPQ CX, DX
	JLT single

sieved:
	TOTAL(Z4, Y4, X4, (R8))
	TOTAL(Z5, Y5, X5, 8(R8))
	TOTAL(Z6, Y6, X6, 16(R8))
	TOTAL(Z7, Y7, X7, 24(R8))
	VZEROUPPER
	MOVQ BX, ret+56(FP)
	RET

// func sumLanesAVX512(a, b *float32, n int, la, lb *sideLanes)
TEXT ·sumLanesAVX512(SB), NOSPLIT, $0-40
	MOVQ a+0(FP), SI
	MOVQ b+8(FP), DI
	MOVQ n+16(FP), DX
	MOVQ la+24(FP), R8
	MOVQ lb+32(FP), R9
	VPXORD Z4, Z4, Z4
	VPXORD Z5, Z5, Z5
	VPXORD Z6, Z6, Z6
	VPXORD Z7, Z7, Z7
	XORQ CX, CX

sum:
	VCVTPS2PD (SI)(CX*4), Z0
	VCVTPS2PD 32(SI)(CX*4), Z1
	VCVTPS2PD (DI)(CX*4), Z2
	VCVTPS2PD 32(DI)(CX*4), Z3
	VADDPD Z0, Z4, Z4
	VADDPD Z1, Z5, Z5
	VADDPD Z2, Z6, Z6
	VADDPD Z3, Z7, Z7
	ADDQ $16, CX
	CMPQ CX, DX
	JLT sum
	VMOVUPD Z4, (R8)
	VMOVUPD Z5, 64(R8)
	VMOVUPD Z6, (R9)
	VMOVUPD Z7, 64(R9)
	VZEROUPPER
	RET

// func squareLanesAVX512(a, b *float32, n int, meanA, meanB float64, la, lb *sideLanes)
TEXT ·squareLanesAVX512(SB), NOSPLIT, $0-56
	MOVQ a+0(FP), SI
	MOVQ b+8(FP), DI
	MOVQ n+16(FP), DX
	VBROADCASTSD meanA+24(FP), Z8
	VBROADCASTSD meanB+32(FP), Z9
	MOVQ la+40(FP), R8
	MOVQ lb+48(FP), R9
	VPXORD Z4, Z4, Z4
	VPXORD Z5, Z5, Z5
	VPXORD Z6, Z6, Z6
	VPXORD Z7, Z7, Z7
	XORQ CX, CX

squares:
	VCVTPS2PD (SI)(CX*4), Z0
	VCVTPS2PD 32(SI)(CX*4), Z1
	VCVTPS2PD (DI)(CX*4), Z2
	VCVTPS2PD 32(DI)(CX*4), Z3
	VSUBPD Z8, Z0, Z0
	VSUBPD Z8, Z1, Z1
	VSUBPD Z9, Z2, Z2
	VSUBPD Z9, Z3, Z3
	VMULPD Z0, Z0, Z0
	VMULPD Z1, Z1, Z1
	VMULPD Z2, Z2, Z2
	VMULPD Z3, Z3, Z3
	VADDPD Z0, Z4, Z4
	VADDPD Z1, Z5, Z5
	VADDPD Z2, Z6, Z6
	VADDPD Z3, Z7, Z7
	ADDQ $16, CX
	CMPQ CX, DX
	JLT squares
	VMOVUPD Z4, (R8)
	VMOVUPD Z5, 64(R8)
	VMOVUPD Z6, (R9)
	VMOVUPD Z7, 64(R9)
	VZEROUPPER
	RET
