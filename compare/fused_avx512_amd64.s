//go:build !purego

#include "textflag.h"

// Z31 is the mask that clears a sign, Z30 the stand-in for a reference of zero.
#define SIGNS \
	VPTERNLOGD $0xff, Z31, Z31, Z31 \
	VPSRLD $1, Z31, Z31

// ERRORS leaves the absolute errors of sixteen pairs in Z0 and the relative ones in Z2, and asks
// for the strip behind.
#define ERRORS \
	VMOVUPS (DI)(CX*4), Z0      \
	VMOVUPS (SI)(CX*4), Z1      \
	PREFETCHT0 4096(DI)(CX*4)   \
	PREFETCHT0 4096(SI)(CX*4)   \
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

// func factsAVX512(f *stripFacts, a, b *float32, n int, zero float32)
TEXT ·factsAVX512(SB), NOSPLIT, $0-36
	MOVQ f+0(FP), R8
	MOVQ a+8(FP), DI
	MOVQ b+16(FP), SI
	MOVQ n+24(FP), DX
	VBROADCASTSS zero+32(FP), Z30
	SIGNS
	MOVQ (R8), R9   // abs
	MOVQ 8(R8), R10 // rel
	VPXORD Z4, Z4, Z4
	VPXORD Z5, Z5, Z5
	VPXORD Z6, Z6, Z6
	VPXORD Z7, Z7, Z7
	VPXORD Z8, Z8, Z8
	VPXORD Z9, Z9, Z9
	VPXORD Z10, Z10, Z10
	VPXORD Z11, Z11, Z11
	XORQ CX, CX

facts:
	ERRORS
	VMOVUPS Z0, (R9)(CX*4)
	VMOVUPS Z2, (R10)(CX*4)
	VCVTPS2PD (DI)(CX*4), Z16
	VCVTPS2PD 32(DI)(CX*4), Z17
	VCVTPS2PD (SI)(CX*4), Z18
	VCVTPS2PD 32(SI)(CX*4), Z19
	VADDPD Z16, Z6, Z6
	VADDPD Z17, Z7, Z7
	VADDPD Z18, Z8, Z8
	VADDPD Z19, Z9, Z9
	VPMAXUD Z0, Z10, Z10
	VPANDD Z31, Z2, Z2 // what is no number may have a sign
	VPMAXUD Z2, Z11, Z11
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

	VMOVUPD Z4, 24(R8)
	VMOVUPD Z5, 88(R8)
	VMOVUPD Z6, 152(R8)
	VMOVUPD Z7, 216(R8)
	VMOVUPD Z8, 280(R8)
	VMOVUPD Z9, 344(R8)
	GREATEST(Z10, Y10, X10)
	VMOVSS X10, 16(R8)
	GREATEST(Z11, Y11, X11)
	VMOVSS X11, 20(R8)
	VZEROUPPER
	RET
