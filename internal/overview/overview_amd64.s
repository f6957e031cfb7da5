//go:build !purego

#include "textflag.h"

DATA exponent<>+0(SB)/8, $0x7f8000007f800000
GLOBL exponent<>(SB), RODATA|NOPTR, $8

// EIGHT takes the eight floats in X: the upper four are added to HIGH, the lower four to LOW.
#define EIGHT(X, LOWER, LEAST, GREATEST, LOW, HIGH) \
	VMINPS X, LEAST, LEAST      \
	VMAXPS X, GREATEST, GREATEST \
	VPAND X, Y7, Y10            \
	VPCMPEQD Y10, Y7, Y10       \
	VPOR Y10, Y6, Y6            \
	VCVTPS2PD LOWER, Y11        \
	VEXTRACTF128 $1, X, X15     \
	VADDPD Y11, LOW, LOW        \
	VCVTPS2PD X15, Y12          \
	VADDPD Y12, HIGH, HIGH

// ACROSS leaves OP of the eight floats of X in the lowest of its lower half.
#define ACROSS(OP, X, LOWER) \
	VEXTRACTF128 $1, X, X0       \
	OP X0, LOWER, LOWER          \
	VPERMILPS $0x4e, LOWER, X0   \
	OP X0, LOWER, LOWER          \
	VPERMILPS $0xb1, LOWER, X0   \
	OP X0, LOWER, LOWER

// func foldAVX2(values *float32, n int, sums *lanes) (least, greatest, finite uint32)
TEXT ·foldAVX2(SB), NOSPLIT, $0-36
	MOVQ values+0(FP), SI
	MOVQ n+8(FP), CX
	MOVQ sums+16(FP), DI
	VMOVUPD 0(DI), Y0
	VMOVUPD 32(DI), Y1
	VMOVUPD 64(DI), Y2
	VMOVUPD 96(DI), Y3
	VBROADCASTSS (SI), Y4
	VMOVAPS Y4, Y5
	VMOVAPS Y4, Y13
	VMOVAPS Y4, Y14
	VPXOR Y6, Y6, Y6
	VPBROADCASTD exponent<>(SB), Y7

row:
	VMOVUPS (SI), Y8
	VMOVUPS 32(SI), Y9
	EIGHT(Y8, X8, Y4, Y5, Y0, Y1)
	EIGHT(Y9, X9, Y13, Y14, Y2, Y3)
	ADDQ $64, SI
	SUBQ $16, CX
	JNZ row

	VMOVUPD Y0, 0(DI)
	VMOVUPD Y1, 32(DI)
	VMOVUPD Y2, 64(DI)
	VMOVUPD Y3, 96(DI)
	VMINPS Y13, Y4, Y4
	VMAXPS Y14, Y5, Y5
	ACROSS(VMINPS, Y4, X4)
	ACROSS(VMAXPS, Y5, X5)
	XORL AX, AX
	VPTEST Y6, Y6
	SETEQ AX
	VMOVSS X4, least+24(FP)
	VMOVSS X5, greatest+28(FP)
	MOVL AX, finite+32(FP)
	VZEROUPPER
	RET
