//go:build !purego

#include "textflag.h"

// Z31 is the mask that clears a sign, Z30 the stand-in for a reference of zero.
#define SIGNS \
	VPTERNLOGD $0xff, Z31, Z31, Z31 \
	VPSRLD $1, Z31, Z31

// ERRORS leaves the absolute errors of sixteen pairs in Z0 and the relative ones in Z2, and asks
// for what follows in memory. What is no number may have a sign.
#define ERRORS \
	VMOVUPS (DI)(CX*4), Z0      \
	VMOVUPS (SI)(CX*4), Z1      \
	PREFETCHT0 2048(DI)(CX*4)   \
	PREFETCHT0 2048(SI)(CX*4)   \
	VSUBPS Z1, Z0, Z0           \
	VPTESTNMD Z31, Z1, K1       \
	VPANDD Z31, Z1, Z1          \
	VPANDD Z31, Z0, Z0          \
	VMOVAPS Z30, K1, Z1         \
	VDIVPS Z1, Z0, Z2

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

// SQUARES adds to two registers the squares of sixteen differences of the values at AT from MEAN.
#define SQUARES(AT, MEAN, LOW, HIGH) \
	VCVTPS2PD (AT)(CX*4), Z24    \
	VCVTPS2PD 32(AT)(CX*4), Z25  \
	VSUBPD MEAN, Z24, Z24        \
	VSUBPD MEAN, Z25, Z25        \
	VMULPD Z24, Z24, Z24         \
	VMULPD Z25, Z25, Z25         \
	VADDPD Z24, LOW, LOW         \
	VADDPD Z25, HIGH, HIGH

// func factsAVX512(f *stripFacts, a, b *float32, n int, zero float32, abs, rel *float32,
//     beforeA, beforeB *float32)
TEXT ·factsAVX512(SB), NOSPLIT, $0-72
	MOVQ f+0(FP), R8
	MOVQ a+8(FP), DI
	MOVQ b+16(FP), SI
	MOVQ n+24(FP), DX
	VBROADCASTSS zero+32(FP), Z30
	SIGNS
	MOVQ abs+40(FP), R9
	MOVQ rel+48(FP), R10
	MOVQ beforeA+56(FP), R11
	MOVQ beforeB+64(FP), R12
	VBROADCASTSD (R8), Z28
	VBROADCASTSD 8(R8), Z29
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
	VPXORD Z14, Z14, Z14
	VPXORD Z15, Z15, Z15
	XORQ CX, CX

facts:
	ERRORS
	VMOVUPS Z0, (R9)(CX*4)
	VMOVUPS Z2, (R10)(CX*4)
	SQUARES(R11, Z28, Z12, Z13)
	SQUARES(R12, Z29, Z14, Z15)
	VCVTPS2PD (DI)(CX*4), Z16
	VCVTPS2PD 32(DI)(CX*4), Z17
	VCVTPS2PD (SI)(CX*4), Z18
	VCVTPS2PD 32(SI)(CX*4), Z19
	VADDPD Z16, Z6, Z6
	VADDPD Z17, Z7, Z7
	VADDPD Z18, Z8, Z8
	VADDPD Z19, Z9, Z9
	VPMAXUD Z0, Z10, Z10
	VPMAXUD Z2, Z11, Z11 // what is no number may have a sign, and is the greatest even so
	VCVTPS2PD (R9)(CX*4), Z20
	VCVTPS2PD 32(R9)(CX*4), Z21
	VCVTPS2PD (R10)(CX*4), Z22
	VCVTPS2PD 32(R10)(CX*4), Z23
	VADDPD Z20, Z4, Z4
	VADDPD Z22, Z5, Z5
	VADDPD Z21, Z4, Z4
	VADDPD Z23, Z5, Z5
	ADDQ $16, CX
	CMPQ CX, DX
	JLT facts

	GREATEST(Z10, Y10, X10)
	VMOVSS X10, 16(R8)
	GREATEST(Z11, Y11, X11)
	VMOVSS X11, 20(R8)
	VADDPD Z7, Z6, Z6 // sixteen lanes become eight, as sideLanes.sum has it
	VADDPD Z9, Z8, Z8
	VADDPD Z13, Z12, Z12
	VADDPD Z15, Z14, Z14
	VMOVUPD Z4, 24(R8)
	VMOVUPD Z5, 88(R8)
	VMOVUPD Z6, 152(R8)
	VMOVUPD Z8, 216(R8)
	VMOVUPD Z12, 280(R8)
	VMOVUPD Z14, 344(R8)
	VZEROUPPER
	RET
